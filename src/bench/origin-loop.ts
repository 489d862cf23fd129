import type { Target } from '../check/target.ts';
import { LOOP_SECONDS, LOOP_WAIT_SECONDS } from '../telemetry/families.ts';
import { parseTraffic, trafficBetween, type OriginTraffic } from './cost/origin-traffic.ts';
import { median } from './ratio.ts';

/** Activity of the origin's event loops since its start, in seconds, and when it was read. */
export interface LoopTimes {
  readonly active: number;
  readonly idle: number;
  /** Time that their threads waited for a core; undefined if the origin does not count it. */
  readonly waited: number | undefined;
  /** Undefined if the origin does not tell. */
  readonly traffic?: OriginTraffic | undefined;
  /** Time of reading, in milliseconds. */
  readonly at: number;
}

/** Load of the origin's event loops, of which each worker has one. */
export interface OriginLoad {
  /** Share of the time in which they were busy, from 0 to 1. */
  readonly busy: number;
  /** Share of the time, of one loop, in which other processes kept them from running; undefined if it is not known. */
  readonly waited: number | undefined;
  readonly loops: number;
  /** What the load has caused; undefined if it is not known. */
  readonly traffic?: OriginTraffic | undefined;
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

/** @param at time of reading, in milliseconds */
export function parseLoops(text: string, at: number): LoopTimes | undefined {
  const lines = text.split('\n');
  const seconds = (sample: string): number => {
    const line = lines.find((each) => each.startsWith(`${sample} `));
    return Number(line?.slice(sample.length) ?? Number.NaN);
  };
  const active = seconds(`${LOOP_SECONDS}_total{state="active"}`);
  const idle = seconds(`${LOOP_SECONDS}_total{state="idle"}`);
  const waited = seconds(`${LOOP_WAIT_SECONDS}_total`);
  if (!Number.isFinite(active + idle)) return undefined;
  return {
    active,
    idle,
    waited: Number.isFinite(waited) ? waited : undefined,
    traffic: parseTraffic(text),
    at,
  };
}

export function loadBetween(before: LoopTimes, after: LoopTimes): OriginLoad {
  const elapsed = (after.at - before.at) / 1000;
  const active = after.active - before.active;
  const all = active + after.idle - before.idle;
  const isKnown = before.waited !== undefined && after.waited !== undefined;
  return {
    busy: active / all,
    // Idle workers do not wait, so their time is not counted.
    waited: isKnown ? (after.waited - before.waited) / Math.max(elapsed, active) : undefined,
    loops: Math.max(1, Math.round(all / elapsed)),
    traffic: before.traffic && after.traffic && trafficBetween(before.traffic, after.traffic),
  };
}

/** The median load of several rounds. @returns undefined without any */
export function medianLoad(loads: readonly OriginLoad[]): OriginLoad | undefined {
  const last = loads.at(-1);
  return (
    last && {
      busy: median(loads.map(({ busy }) => busy)),
      waited: last.waited === undefined ? undefined : median(loads.map(({ waited = 0 }) => waited)),
      loops: last.loops,
    }
  );
}
