import { gzipSync, zstdCompressSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import { expect, it } from 'vitest';
import { registerCompression } from './compression.ts';

registerCompression();
const codecOf = (name: 'GZIP' | 'ZSTD') =>
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes[name]]() as {
    decompress(bytes: Buffer): Promise<Buffer>;
  };

it.each([
  ['GZIP', gzipSync],
  ['ZSTD', zstdCompressSync],
] as const)('a small batch of %s cannot fill the memory', async (name, compress) => {
  const { decompress } = codecOf(name);
  expect(await decompress(compress(Buffer.from('a')))).toEqual(Buffer.from('a'));
  const bomb = compress(Buffer.alloc(257 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(1_000_000);
  await expect(decompress(bomb)).rejects.toThrow('more than 256 MiB');
});
