import { CONNECTIONS, OPEN_CONNECTIONS, REQUESTS } from '../../telemetry/families.ts';

/** What the origin has counted since its start. */
export interface OriginTraffic {
  readonly requests: number;
  /** Connections that it has accepted, and below, that are open. */
  readonly connections: number;
  readonly open: number;
}

/** @param text of /metrics in the format of Prometheus @returns undefined without these metrics */
export function parseTraffic(text: string): OriginTraffic | undefined {
  const lines = text.split('\n');
  const total = (name: string): number => {
    const samples = lines.filter((line) => line.startsWith(`${name}{`));
    const values = samples.map((line) => Number(line.slice(line.lastIndexOf(' '))));
    return samples.length > 0 ? values.reduce((sum, value) => sum + value, 0) : Number.NaN;
  };
  const traffic = {
    requests: total(`${REQUESTS}_total`),
    connections: total(`${CONNECTIONS}_total`),
    open: total(OPEN_CONNECTIONS),
  };
  return Object.values(traffic).some(Number.isNaN) ? undefined : traffic;
}

/** What a load has caused at the origin, without the requests that read this, each on a connection of its own. */
export function trafficBetween(before: OriginTraffic, after: OriginTraffic): OriginTraffic {
  return {
    requests: after.requests - before.requests - 1,
    connections: after.connections - before.connections - 1,
    open: after.open - 1,
  };
}
