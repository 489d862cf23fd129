import type { Target } from '../check/target.ts';
import { median } from './ratio.ts';

/** What the event loops of the origin have done since its start, in seconds. */
export interface LoopTimes {
  readonly active: number;
  readonly idle: number;
  /** When that was read. */
  readonly at: number;
}

/** How busy the event loops of the origin were, one for each worker. */
export interface OriginLoad {
  /** The share of the time in which they were busy, from 0 to 1. */
  readonly busy: number;
  readonly loops: number;
}

/** Reads the event loops from /metrics. @returns undefined if they cannot be read */
export async function readLoops(target: Target, time: number): Promise<LoopTimes | undefined> {
  try {
    const client = await target.openHttp1(time);
    const { response } = await client.send({ target: '/metrics?format=prometheus' }, { time });
    client.close();
    return parseLoops(response?.content.toString() ?? '', performance.now());
  } catch {
    return undefined;
  }
}

/** @param at when the text was read, in milliseconds */
export function parseLoops(text: string, at: number): LoopTimes | undefined {
  const seconds = (state: string): number => {
    const line = new RegExp(
      String.raw`^wirebin_event_loop_seconds_total\{state="${state}"\} (\S+)$`,
      'm',
    );
    return Number(line.exec(text)?.[1] ?? Number.NaN);
  };
  const [active, idle] = [seconds('active'), seconds('idle')];
  return !Number.isFinite(active + idle) ? undefined : { active, idle, at };
}

export function loadBetween(before: LoopTimes, after: LoopTimes): OriginLoad {
  const active = after.active - before.active;
  const all = active + after.idle - before.idle;
  return {
    busy: active / all,
    loops: Math.max(1, Math.round((all * 1000) / (after.at - before.at))),
  };
}

/** That of several rounds. @returns undefined if there is none */
export function medianLoad(loads: readonly OriginLoad[]): OriginLoad | undefined {
  const last = loads.at(-1);
  return last && { busy: median(loads.map(({ busy }) => busy)), loops: last.loops };
}
