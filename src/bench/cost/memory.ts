import { join } from 'node:path';
import { read, type Process } from './process-set.ts';
import { parseSize } from './process-text.ts';

/** Memory of processes, in bytes. Pages that they share count for each of them, except in `proportional`. */
export interface Memory {
  /** Resident now (VmRSS). */
  readonly resident: number;
  /** Most that was resident since each process began (VmHWM). */
  readonly peak: number;
  /** Resident now, with a share of the pages that other processes have too (Pss); undefined if it cannot be read. */
  readonly proportional: number | undefined;
}

/** Memory of processes. @returns undefined if it cannot be read */
export function memoryOf(
  processes: readonly Pick<Process, 'pid'>[],
  proc = '/proc',
): Memory | undefined {
  const each = processes.map(({ pid }) => {
    const status = read(join(proc, String(pid), 'status'));
    return {
      resident: parseSize(status, 'VmRSS'),
      peak: parseSize(status, 'VmHWM'),
      proportional: parseSize(read(join(proc, String(pid), 'smaps_rollup')), 'Pss'),
    };
  });
  const total = (name: keyof Memory): number =>
    each.reduce((sum, memory) => sum + (memory[name] ?? Number.NaN), 0);
  const [resident, peak, proportional] = [total('resident'), total('peak'), total('proportional')];
  if (each.length === 0 || Number.isNaN(resident + peak)) return undefined;
  return {
    resident,
    peak,
    proportional: Number.isNaN(proportional) ? undefined : proportional,
  };
}
