import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { DecodedRecord } from '../decode/envelope.ts';
import { decodeLines } from './decode-lines.ts';

const folder = mkdtempSync(join(tmpdir(), 'linernotes-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(name: string, content: string | Buffer, from = 0, size = 2) {
  const path = join(folder, name);
  writeFileSync(path, content);
  const batches: [number, string][][] = [];
  for await (const batch of decodeLines(path, record, { from, size })) {
    batches.push(batch.map(({ record }) => [record.offset, String(record.value)]));
  }
  return batches;
}

const record = (value: string | Buffer, offset: number): DecodedRecord => ({
  record: { topic: '', key: null, value, headers: {}, offset, timestamp: null },
  decoded: { kind: 'ignored', why: '' },
});

describe('the lines of a file', () => {
  it('come in batches, numbered, without empty ones, with any line end', async () => {
    const expected = [
      [
        [0, 'a'],
        [2, 'ü☃'],
      ],
      [[3, 'c']],
    ];
    expect(await read('plain', 'a\n\nü☃\nc')).toEqual(expected);
    expect(await read('windows', '\ufeffa\r\n\r\nü☃\r\nc\r\n')).toEqual(expected);
    expect(await read('packed.gz', gzipSync('a\n\nü☃\nc\n'))).toEqual(expected);
  });

  it('are complete if a block ends within one, or within a character', async () => {
    const lines = Array.from({ length: 9_000 }, (_, number) => `${number} ${'☃'.repeat(40)}`);
    const [batch] = await read('long', lines.join('\n'), 0, lines.length);
    expect(batch?.map(([, value]) => value)).toEqual(lines);
  });

  it('are bytes if they are not UTF-8', async () => {
    const path = join(folder, 'latin');
    writeFileSync(path, Buffer.from('a\n\xfcb\r\n\n\xff\nc\xff', 'latin1'));
    const lines: unknown[] = [];
    const decode = (line: string | Buffer, offset: number) => {
      lines.push([offset, typeof line === 'string' ? line : line.toString('latin1'), typeof line]);
      return record(line, offset);
    };
    await Array.fromAsync(decodeLines(path, decode, { from: 0, size: 9 }));
    expect(lines).toEqual([
      [0, 'a', 'string'],
      [1, '\xfcb', 'object'],
      [3, '\xff', 'object'],
      [4, 'c\xff', 'object'],
    ]);
  });

  it('report how many bytes of the file have been read', async () => {
    const path = join(folder, 'counted.gz');
    writeFileSync(path, gzipSync(Array.from({ length: 100_000 }, (_, number) => `${number}\n`).join('')));
    const read: number[] = [];
    const onRead = (bytes: number) => read.push(bytes);
    await Array.fromAsync(decodeLines(path, record, { from: 0, size: 1_000, onRead }));
    expect(read.reduce((sum, bytes) => sum + bytes, 0)).toBe(statSync(path).size);
  });

  it('begin at the given number', async () => {
    expect(await read('rest', 'a\nb\nc\n', 1)).toEqual([
      [
        [1, 'b'],
        [2, 'c'],
      ],
    ]);
  });

  it('fail with the name of a file that cannot be read', async () => {
    await expect(read('broken.ndjson.gz', 'not gzip')).rejects.toThrow('broken.ndjson.gz cannot be read');
    const cut = gzipSync('a\n'.repeat(1000)).subarray(0, 30);
    await expect(read('cut.ndjson.gz', cut)).rejects.toThrow('cut.ndjson.gz cannot be read');
  });
});
