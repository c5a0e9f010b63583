import { expect, it } from 'vitest';
import { subjectNames } from './subject.ts';

const nameOf = subjectNames('a secret of the tests, of 32 bytes');
const PERSON = '0f0e0d0c-0b0a-4908-8706-050403020100';
const OTHER = '0f0e0d0c-0b0a-4908-8706-050403020101';

it('is unique to a person and a consumer', () => {
  const name = nameOf({ consumer: 'one', person: PERSON });
  expect(name).toMatch(/^sub_v1_[\w-]{43}$/);
  expect(subjectNames('a secret of the tests, of 32 bytes')({ consumer: 'one', person: PERSON })).toBe(name);
  const others = [
    nameOf({ consumer: 'two', person: PERSON }),
    nameOf({ consumer: 'one', person: OTHER }),
    subjectNames('another secret of the tests, of 32')({ consumer: 'one', person: PERSON }),
  ];
  expect(new Set([name, ...others]).size).toBe(4);
});
