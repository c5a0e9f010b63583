import { describe, expect, it } from 'vitest';
import { sharedBuffers } from './postgres-settings.ts';

const GIGABYTE = 1024 ** 3;

describe('shared buffers', () => {
  it('are a quarter of the memory', () => {
    expect(sharedBuffers(8 * GIGABYTE)).toBe('2048MB');
  });

  it('are no less than 128 MB and no more than 8 GB', () => {
    expect(sharedBuffers(GIGABYTE / 4)).toBe('128MB');
    expect(sharedBuffers(256 * GIGABYTE)).toBe('8192MB');
  });
});
