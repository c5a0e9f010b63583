import { userInfo } from 'node:os';

/** Who types the commands: `LINERNOTES_OPERATOR`, else the user of the system. */
export const operator = (): string => process.env.LINERNOTES_OPERATOR || userInfo().username;
