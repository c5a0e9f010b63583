import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TEST_CONSUMERS } from '../../../test/taste-contract.ts';
import { loopbackFaults } from './consumer-faults.ts';
import { type Consumer, readContract } from './contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'linernotes-contract-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(content: unknown): string {
  const file = join(folder, 'contract.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const reading = (...consumers: readonly Partial<Consumer>[]) => {
  const all = consumers.map((changed, index) => ({ ...TEST_CONSUMERS.app, no: `C${index + 1}`, ...changed }));
  return () => readContract(written({ ...readContract(), consumers: all }));
};

it('is read from the file that comes with the code', () => {
  expect(readContract()).toMatchObject({
    contract: 'contracts/v1',
    consumers: [{ no: 'C1', id: 'linernotes-example', origin: 'http://127.0.0.1:8082' }],
  });
});

it('is read from another file', () => {
  const { app, other, local } = TEST_CONSUMERS;
  expect(reading(app, other, local)().consumers).toEqual([app, other, local]);
});

describe('a contract at fault is refused with what is wrong', () => {
  it.each([
    ['no JSON', '{', /cannot be read/],
    ['another document', { openapi: '3.1.0' }, /is no contract: .*contract/],
    ['an unknown member', { ...readContract(), extra: 1 }, /extra/],
  ])('%s', (_name, content, message) => {
    expect(() => readContract(written(content))).toThrow(message);
  });

  it.each([
    ['in the clear', { origin: 'http://app.example' }, /http:\/\/app\.example needs https/],
    ['with a slash', { origin: 'https://app.example/' }, /has to be written https:\/\/app\.example/],
    ['in capitals', { origin: 'https://App.example' }, /has to be written https:\/\/app\.example/],
    [
      'with the default port',
      { origin: 'https://app.example:443' },
      /has to be written https:\/\/app\.example/,
    ],
    ['none', { origin: 'app' }, /app is no origin/],
    ['opaque', { origin: 'null' }, /null is no origin/],
    ['any', { origin: '*' }, /\* is no origin/],
  ])('an origin %s', (_name, changed, message) => {
    expect(reading(changed)).toThrow(message);
  });

  it.each([
    'connected',
    '/connected/',
    '//connected',
    '/a//b',
    '/a/../b',
    '/a/.',
    '/a%2fb',
    '/a;b',
    '/a?b',
    '/a b',
    '',
  ])('a prefix %j', (prefix) => {
    expect(reading({ return_prefixes: [prefix] })).toThrow(/return prefix|return_prefixes/);
  });

  it('what is there twice', () => {
    const second = { id: 'second', origin: 'https://second.example' };
    expect(reading({}, { ...second, id: 'app' })).toThrow('the id app is used twice');
    expect(reading({}, { ...second, origin: 'https://app.example' })).toThrow(
      'two consumers have the origin https://app.example',
    );
    expect(reading({}, { ...second, no: 'C1' })).toThrow('the number C1 is used twice');
    expect(reading({}, { ...second, no: 'R1' })).toThrow('the number R1 is used twice');
  });

  it('no services, or unknown ones', () => {
    expect(reading({ services: [] })).toThrow(/services/);
    expect(reading({ services: ['radio'] as unknown as Consumer['services'] })).toThrow(/services/);
  });
});

it('tells the consumers that are on the own machine of users', () => {
  const at = (origin: string) => loopbackFaults([{ ...TEST_CONSUMERS.app, origin }]);
  for (const origin of [
    'http://127.0.0.1:8082',
    'https://127.1.2.3',
    'http://localhost',
    'https://app.localhost:8443',
    'https://[::1]:8082',
  ])
    expect(at(origin)).toEqual([`app: the origin ${origin} is on the user's own machine`]);
  for (const origin of [
    'https://app.example',
    'https://localhost.example',
    'https://127.example',
    'https://10.0.0.1',
  ])
    expect(at(origin)).toEqual([]);
});
