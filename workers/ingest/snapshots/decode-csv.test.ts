import { statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { withFolder } from '../../../test/support/services/folder.ts';
import type { Cell } from '../decode/csv-row.ts';
import { decodeCsv } from './decode-csv.ts';

const folder = withFolder();

/** Header, and number and cells of each record in its batch. */
async function read(
  name: string,
  content: string | Buffer,
  from = 0,
  size = 100,
  onRead?: (n: number) => void,
) {
  const path = folder.write(name, content);
  let header: readonly Cell[] = [];
  const batches: (readonly [number, ...Cell[]])[][] = [];
  const compile = (names: readonly Cell[]) => {
    header = names;
    return (cells: readonly Cell[], offset: number) => ({
      record: { topic: '', key: null, value: JSON.stringify(cells), headers: {}, offset, timestamp: null },
      decoded: { kind: 'ignored', why: '' } as const,
    });
  };
  for await (const batch of decodeCsv(path, compile, { from, size, onRead })) {
    batches.push(batch.map(({ record }) => [record.offset, ...JSON.parse(String(record.value))]));
  }
  return { header, batches };
}

describe('the records of a CSV file', () => {
  it('come in batches, numbered without the header, with any line end', async () => {
    const expected = {
      header: ['a', 'b'],
      batches: [
        [
          [0, '1', 'x'],
          [1, '2', 'y'],
        ],
        [[2, '3', 'z']],
      ],
    };
    expect(await read('unix.csv', 'a,b\n1,x\n\n2,y\n3,z\n', 0, 2)).toEqual(expected);
    expect(await read('windows.csv', '\ufeffa,b\r\n1,x\r\n2,y\r\n3,z', 0, 2)).toEqual(expected);
    expect(await read('packed.csv.gz', gzipSync('"a","b"\n1,"x"\n2,y\n3,z\n'), 0, 2)).toEqual(expected);
    expect(await read('rest.csv', 'a,b\n1,x\n2,y\n3,z\n', 2)).toEqual({
      header: ['a', 'b'],
      batches: [[[2, '3', 'z']]],
    });
  });

  it('distinguish empty text from null, and keep quotes, commas and line ends', async () => {
    const { batches } = await read('quoted.csv', 'a,b\n,""\n"say ""hi"", ☃","two\nlines\r\n"\n a ,"x"\n');
    expect(batches).toEqual([
      [
        [0, null, ''],
        [1, 'say "hi", ☃', 'two\nlines\r\n'],
        [2, ' a ', 'x'],
      ],
    ]);
  });

  it('may be ragged', async () => {
    expect((await read('ragged.csv', 'a,b\n1\n1,2,3\n')).batches).toEqual([
      [
        [0, '1'],
        [1, '1', '2', '3'],
      ],
    ]);
  });

  it('are complete if a block ends within one, and all bytes are reported', async () => {
    const records = Array.from({ length: 9_000 }, (_, number) => [String(number), `"☃",\n`.repeat(8)]);
    const text = records.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
    let bytes = 0;
    const { batches } = await read('long.csv', `a,b\n${text.join('\n')}`, 0, 9_000, (more) => {
      bytes += more;
    });
    expect(batches.flat()).toEqual(records.map((cells, number) => [number, ...cells]));
    expect(bytes).toBe(statSync(`${folder.path}/long.csv`).size);
  });

  it.each<[string, string | Buffer, string]>([
    ['no header', '', 'it has no header'],
    ['a quote that is never closed', 'a,b\n1,"x\n2,y\n', 'Quote Not Closed'],
    ['a quote in the middle', 'a,b\n1,x"y"\n', 'Invalid Opening Quote'],
    ['text behind a quote', 'a,b\n1,"x"y\n', 'Invalid Closing Quote'],
    ['bytes that are no text', Buffer.from('a,b\n1,\xff\n', 'latin1'), 'not valid for encoding utf-8'],
    ['a character that is cut', Buffer.from('a,b\n1,☃').subarray(0, -1), 'not valid for encoding utf-8'],
  ])('cannot be read with %s', async (_, content, why) => {
    await expect(read('broken.csv', content)).rejects.toThrow(why);
    await expect(read('broken.csv', content)).rejects.toThrow('broken.csv cannot be read: ');
  });

  it('fail at a quoted text that is too long', async () => {
    const endless = `a,b\n"${'x'.repeat(17 * 1024 * 1024)}`;
    await expect(read('endless.csv', endless)).rejects.toThrow('Max Record Size');
  });
});
