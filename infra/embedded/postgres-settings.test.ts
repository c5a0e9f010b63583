import { describe, expect, it } from 'vitest';
import { sharedBuffers } from './postgres-settings.ts';

const GIGABYTE = 1024 ** 3;

describe('shared buffers', () => {
  it('are 40 % of the memory', () => {
    expect(sharedBuffers(10 * GIGABYTE)).toBe('4096MB');
  });

  it('are at least 128 MB and at most 16 GB', () => {
    expect(sharedBuffers(GIGABYTE / 4)).toBe('128MB');
    expect(sharedBuffers(256 * GIGABYTE)).toBe('16384MB');
  });
});
