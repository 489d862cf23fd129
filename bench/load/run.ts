import { beside, type Server } from '../servers.ts';
import { findProgram, run } from '../processes.ts';
import type { Scenario } from '../scenarios.ts';
import { runH2load } from './h2load.ts';
import type { Load, Order } from './load.ts';

const h2load = findProgram('h2load');

/** The address that stands for the scenario at a server; undefined where it has none. */
export function addressOf(server: Server, scenario: Scenario): string | undefined {
  const port = server.ports[scenario.protocol];
  const target = server.target(scenario);
  if (port === undefined || target === undefined) return undefined;
  const isClear = scenario.protocol === 'http/1.1' || scenario.protocol === 'h2c';
  return `${isClear ? 'http' : 'https'}://127.0.0.1:${port}${target}`;
}

/** Asks as fast as it can, in a process of its own on the core for load. */
export async function runLoad(
  url: string,
  scenario: Scenario,
  { seconds, latencies }: { readonly seconds: number; readonly latencies: boolean },
): Promise<Load> {
  const { protocol, range, connections, streams, handshakes = false } = scenario;
  const headers: Order['headers'] = range === undefined ? {} : { range };
  const order = { url, seconds, connections, streams, headers, handshakes };
  if (!protocol.startsWith('h2')) return runDriver('autocannon.js', order);
  return h2load === undefined ? runDriver('http2.js', order) : runH2load(h2load, order, latencies);
}

async function runDriver(driver: string, order: Order): Promise<Load> {
  const found = await run('load', process.execPath, [
    beside(`./load/${driver}`),
    JSON.stringify(order),
  ]);
  return JSON.parse(found) as Load;
}
