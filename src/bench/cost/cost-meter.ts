import { pid as ownPid, platform } from 'node:process';
import type { Target } from '../../check/target.ts';
import { counted } from '../../check/words.ts';
import { median } from '../ratio.ts';
import { listeningHere } from './listening.ts';
import { memoryOf } from './memory.ts';
import type { OriginTraffic } from './origin-traffic.ts';
import { processesOf, type ProcessSource } from './process-set.ts';
import { watchProcessorTime } from './processor-time.ts';
import type { CostView } from './schema.ts';

const MICROSECONDS = 1e6;

/** What a round at full load has cost. */
export interface RoundCost {
  /** CPU time in microseconds; undefined if it is not known. */
  readonly cpuPerRequest?: number | undefined;
  readonly origin: { readonly traffic?: OriginTraffic | undefined } | undefined;
}

/** Measures what a side costs where it runs on this machine. */
export class CostMeter {
  readonly #source: ProcessSource | undefined;
  readonly #proc: string;

  /** @param source of its processes; undefined if they are not on this machine */
  constructor(source: ProcessSource | undefined, proc = '/proc') {
    this.#source = source;
    this.#proc = proc;
  }

  /** Watches CPU time from now on. @returns a function that returns the microseconds up to then, if they are known */
  watch(): () => number | undefined {
    const spent = this.#source && watchProcessorTime(this.#source, this.#proc);
    return () => {
      const seconds = spent?.();
      return seconds === undefined ? undefined : seconds * MICROSECONDS;
    };
  }

  /** @param origin measures that to which the side leads */
  view(rounds: readonly RoundCost[], origin?: CostMeter): CostView {
    const processes = this.#processes;
    const memory = memoryOf(processes, this.#proc);
    const cpu = rounds.flatMap(({ cpuPerRequest }) => cpuPerRequest ?? []);
    const others = new Set((origin ? origin.#processes : []).map(({ pid }) => pid));
    const missing = rounds.length - cpu.length;
    const notes = [
      this.#problem(processes.length),
      processes.length > 0 &&
        missing > 0 &&
        `Processes began or ended in ${counted(missing, 'round')}: their CPU time is not known.`,
      processes.some(({ pid }) => pid === ownPid) && 'The load generator is one of its processes.',
      processes.some(({ pid }) => others.has(pid)) &&
        'Some of its processes are those of the origin.',
    ];
    return {
      processes: processes.map(({ pid, name }) => ({ pid, name })),
      cpu_us_per_request: cpu.length > 0 ? Math.round(median(cpu) * 100) / 100 : null,
      memory_bytes: memory ? { ...memory, proportional: memory.proportional ?? null } : null,
      origin: trafficView(rounds),
      note: notes.filter(Boolean).join(' '),
    };
  }

  get #processes() {
    return this.#source ? processesOf(this.#source, this.#proc) : [];
  }

  /** Why there are no processes. */
  #problem(count: number): string | undefined {
    if (count > 0) return undefined;
    if (platform !== 'linux') return 'CPU time and memory are known on Linux only.';
    if (!this.#source) return 'It does not run on this machine.';
    if ('pids' in this.#source) return 'The processes of --pid do not run.';
    return `No process that this user may look into listens on port ${this.#source.port}: name it with --pid.`;
  }
}

function trafficView(rounds: readonly RoundCost[]): CostView['origin'] {
  const traffic = rounds.flatMap(({ origin }) => origin?.traffic ?? []);
  const last = traffic.at(-1);
  const of = (name: keyof OriginTraffic): number =>
    Math.max(0, Math.round(median(traffic.map((each) => each[name]))));
  return last
    ? {
        requests: of('requests'),
        connections: of('connections'),
        open_connections: Math.max(0, last.open),
      }
    : null;
}

/** Finds the processes of a target. @param pids those named; by its port, if none is */
export async function costMeterOf(
  target: Target,
  pids: readonly number[] = [],
): Promise<CostMeter> {
  return new CostMeter(pids.length > 0 ? { pids } : await listeningHere(target));
}
