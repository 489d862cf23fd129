import { pid as ownPid, platform } from 'node:process';
import type { Target } from '../../check/target.ts';
import { counted } from '../../check/words.ts';
import { SettingsError } from '../../settings/settings-error.ts';
import { median } from '../ratio.ts';
import { listeningHere } from './listening.ts';
import { memoryOf } from './memory.ts';
import type { OriginTraffic } from './origin-traffic.ts';
import { processesOf, type Process, type ProcessSource } from './process-set.ts';
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
  readonly #origin: ProcessSource | undefined;
  readonly #proc: string;

  /**
   * @param source of its processes; undefined if they are not on this machine
   * @param origin the same of the origin
   */
  constructor(
    source: ProcessSource | undefined,
    origin: ProcessSource | undefined,
    proc = '/proc',
  ) {
    this.#source = source;
    this.#origin = origin;
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

  view(rounds: readonly RoundCost[]): CostView {
    const processes = this.#processes(this.#source);
    const memory = memoryOf(processes, this.#proc);
    const cpu = rounds.flatMap(({ cpuPerRequest }) => cpuPerRequest ?? []);
    const others = new Set(this.#processes(this.#origin).map(({ pid }) => pid));
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

  #processes(source: ProcessSource | undefined): readonly Process[] {
    return source ? processesOf(source, this.#proc) : [];
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

/**
 * Finds the processes of a side.
 *
 * @param pids those that were named; without any, those that listen on the port of the target
 * @param origin reached directly; undefined if it is not known
 * @throws SettingsError if a process that was named does not run
 */
export async function costMeterOf(
  target: Target,
  pids: readonly number[],
  origin: Target | undefined,
): Promise<CostMeter> {
  const ended = pids.find((pid) => processesOf({ pids: [pid] }).length === 0);
  if (ended !== undefined) throw new SettingsError(`--pid ${ended}: no such process runs here`);
  return new CostMeter(
    pids.length > 0 ? { pids } : await listeningHere(target),
    origin && (await listeningHere(origin)),
  );
}
