import { readdirSync, readFileSync } from 'node:fs';
import { median } from '../../src/bench/ratio.ts';

/** The service at one moment. */
export interface Sample {
  /** MiB resident. */
  readonly memory: number;
  readonly descriptors: number;
  /** Milliseconds: the latest the event loop was since the sample before. */
  readonly delay: number;
}

/** @throws where there is no /proc, or no such process */
export function usageOf(pid: number): Pick<Sample, 'memory' | 'descriptors'> {
  const resident = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return {
    memory: Number(resident?.[1]) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

const BARS = '▁▂▃▄▅▆▇█';

/** Memory, descriptors and delay over time, a line each: a bar for each sample, and the least and the greatest. */
export function picture(samples: readonly Sample[]): string {
  return (['memory', 'descriptors', 'delay'] as const)
    .map((name) => {
      const values = samples.map((sample) => sample[name]);
      const [least, greatest] = [Math.min(...values), Math.max(...values, Number.MIN_VALUE)];
      const bars = values.map((value) => BARS[Math.round((value / greatest) * (BARS.length - 1))]);
      return `${name.padEnd(12)}${bars.join('')} ${least.toFixed(0)}–${greatest.toFixed(0)}`;
    })
    .join('\n');
}

/**
 * Whether memory and descriptors have stopped growing: the median of the last third is at most a tenth
 * above that of the second third. The first third is warm-up.
 *
 * @returns what has grown
 */
export function growing(samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return ['too few samples to tell'];
  return (['memory', 'descriptors'] as const).flatMap((name) => {
    const values = samples.map((sample) => sample[name]);
    const before = median(values.slice(third, 2 * third));
    const after = median(values.slice(-third));
    if (after <= before * 1.1) return [];
    return [`${name}: ${before.toFixed(1)}, then ${after.toFixed(1)}`];
  });
}
