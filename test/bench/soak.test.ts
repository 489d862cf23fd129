import { describe, expect, it } from 'vitest';
import { growing, picture, usageOf, type Sample } from '../../bench/soak/sample.ts';

const samples = (memory: readonly number[]): Sample[] =>
  memory.map((mib, at) => ({ memory: mib, descriptors: 20, delay: at % 2 }));

describe('a soak', () => {
  it('allows for a warm-up, and for growth by a tenth after it', () => {
    expect(growing(samples([50, 90, 100, 101, 100, 99, 108, 109, 109]))).toEqual([]);
  });

  it('says what grows', () => {
    expect(growing(samples([50, 90, 100, 100, 100, 100, 111, 112, 113]))).toEqual([
      'memory: 100.0, then 112.0',
    ]);
  });

  it('is not taken for flat when there is nothing to see', () => {
    expect(growing(samples([50, 50]))).toEqual(['too few samples to tell']);
  });

  it('draws each quantity from 0 to its greatest', () => {
    expect(picture(samples([0, 35, 70])).split('\n')).toEqual([
      'memory      ▁▅█ 0–70',
      'descriptors ███ 20–20',
      'delay       ▁█▁ 0–1',
    ]);
  });

  if (process.platform === 'linux')
    it('reads a process as the system sees it', () => {
      const { memory, descriptors } = usageOf(process.pid);
      expect(memory).toBeGreaterThan(10);
      expect(descriptors).toBeGreaterThan(2);
    });
});
