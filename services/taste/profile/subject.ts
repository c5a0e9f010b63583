import { createHmac } from 'node:crypto';
import { deriveKey } from './secrets.ts';

/** A person, for one consumer. */
interface Subject {
  readonly consumer: string;
  /** UUID of the person. */
  readonly person: string;
}

/** Names persons to consumers: always the same name to the same consumer, and never the same to two. */
export type SubjectNames = (subject: Subject) => string;

/**
 * Subjects `sub_v1_…`: an HMAC of consumer and person, which only the service's secret can trace back.
 *
 * @param secret of the whole service; with another one, every person has another name
 */
export function subjectNames(secret: string): SubjectNames {
  const key = deriveKey(secret, 'subject v1');
  return ({ consumer, person }) => {
    // Ids of consumers have no line break, so no two pairs have the same text.
    const mac = createHmac('sha256', key).update(`${consumer}\n${person}`).digest('base64url');
    return `sub_v1_${mac}`;
  };
}
