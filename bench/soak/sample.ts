import { readdirSync, readFileSync } from 'node:fs';
import { median } from '../../src/bench/ratio.ts';
import { table } from '../report.ts';

/** The service at one moment. */
export interface Sample {
  readonly seconds: number;
  /** MiB resident. */
  readonly memory: number;
  readonly descriptors: number;
  /** Milliseconds: the latest the event loop was since the sample before. */
  readonly delay: number;
  /** So far. */
  readonly requests: number;
  readonly errors: number;
}

/** @throws where there is no /proc, or no such process */
export function usageOf(pid: number): Pick<Sample, 'memory' | 'descriptors'> {
  const resident = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
  return {
    memory: Number(resident?.[1]) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

export function sampleTable(samples: readonly Sample[]): string {
  const head = ['seconds', 'memory MiB', 'descriptors', 'delay ms', 'requests', 'errors'];
  const rows = samples.map(({ seconds, memory, descriptors, delay, requests, errors }) => [
    seconds.toFixed(0),
    memory.toFixed(1),
    String(descriptors),
    delay.toFixed(1),
    String(requests),
    String(errors),
  ]);
  return table(head, rows);
}

const BARS = '▁▂▃▄▅▆▇█';
const WIDTH = 60;

/** Memory, descriptors and delay over time, a line each, from 0 to their greatest. */
export function picture(samples: readonly Sample[]): string {
  return (['memory', 'descriptors', 'delay'] as const)
    .map((name) => {
      const values = samples.map((sample) => sample[name]);
      const greatest = Math.max(...values, Number.MIN_VALUE);
      const columns = Math.min(WIDTH, values.length);
      const bars = Array.from({ length: columns }, (_, at) => {
        const from = Math.floor((at * values.length) / columns);
        const to = Math.floor(((at + 1) * values.length) / columns);
        const value = Math.max(...values.slice(from, to));
        return BARS[Math.round((value / greatest) * (BARS.length - 1))] ?? '';
      });
      return `${name.padEnd(12)}${bars.join('')} ${greatest.toFixed(0)}`;
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
