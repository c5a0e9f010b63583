import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TEST_CONSUMERS } from '../../../test/support/taste/contract.ts';
import { loopbackFaults } from './consumer-faults.ts';
import { type Consumer, readContract, readEarlierRevisions } from './contract.ts';

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

it('is read from the bundled file', () => {
  expect(readContract()).toMatchObject({
    contract: 'contracts/v1',
    consumers: [{ no: 'C1', id: 'linernotes-example', origin: 'http://127.0.0.1:8082' }],
  });
});

it('is read from another file', () => {
  const { app, other, local } = TEST_CONSUMERS;
  expect(reading(app, other, local)().consumers).toEqual([app, other, local]);
});

describe('an invalid contract is rejected with the reason', () => {
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

  it('a repeated id, origin or number', () => {
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

it("finds the consumers on the user's own machine", () => {
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

/** SHA-256 of every revision that consents may name. Its text never changes: a changed contract is a new revision. */
const REVISIONS = [
  '8304312fd562b21aebd76db5948b9ac25a14456ce6abafc1d3a5ea1ebfa783c2',
  '3ac568de4579529ef4d2d46a83ecf87d38d32e0d2a55fd4de243d96666e67874',
];

it('keeps the text of every revision', () => {
  const contract = readContract();
  const revisions = [...readEarlierRevisions(contract), contract];
  expect(revisions.map(({ revision }) => revision)).toEqual(REVISIONS.map((_, index) => index + 1));
  expect(revisions.map((one) => hash('sha256', JSON.stringify(one)))).toEqual(REVISIONS);
});

it('needs the revisions before it', () => {
  const contract = { ...readContract(), revision: 3 };
  expect(() => readEarlierRevisions(contract, written(contract))).toThrow('contract.revision-1.json');
});
