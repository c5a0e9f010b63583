import { Type } from '@sinclair/typebox';

export const DayConfig = Type.Object({
  AS_OF: Type.Optional(
    Type.String({ description: 'Day of dated read models, `YYYY-MM-DD`. Default: today in UTC.' }),
  ),
});

/** The setting `AS_OF` as it is now. */
export const asOfSetting = (): string | undefined => process.env.AS_OF;
