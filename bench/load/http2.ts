import http2, { type ClientHttp2Session } from 'node:http2';
import { createHistogram } from 'node:perf_hooks';
import type { Load, Order } from './load.ts';

// A process of its own: HTTP/2 load where h2load is missing, and new connections in a closed loop.

const WINDOW = 2 ** 30 - 1;
const order = JSON.parse(process.argv[2] ?? '') as Order;
const { origin, pathname } = new URL(order.url);
const microseconds = createHistogram();
let requests = 0;
let failures = 0;
const before = process.cpuUsage();
const started = performance.now();
const end = started + order.seconds * 1000;

function connect(): ClientHttp2Session {
  const session = http2.connect(origin, {
    rejectUnauthorized: false,
    settings: { initialWindowSize: WINDOW, enablePush: false },
  });
  session.on('connect', () => session.setLocalWindowSize(WINDOW));
  session.on('error', () => undefined);
  return session;
}

/** One request to its end. */
function ask(session: ClientHttp2Session, since: number): Promise<void> {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': pathname, ...order.headers });
    let isGood = false;
    stream.on('response', ({ ':status': status = 0 }) => {
      isGood = status >= 200 && status < 300;
    });
    stream.on('end', () => {
      if (isGood) requests += 1;
    });
    stream.on('error', () => {
      isGood = false;
    });
    stream.on('close', () => {
      if (!isGood) failures += 1;
      microseconds.record(Math.max(1, Math.round((performance.now() - since) * 1000)));
      resolve();
    });
    stream.resume();
  });
}

async function onOneConnection(): Promise<void> {
  const session = connect();
  const loops = Array.from({ length: order.streams }, async () => {
    while (performance.now() < end && !session.destroyed) await ask(session, performance.now());
  });
  await Promise.all(loops);
  session.destroy();
}

async function onNewConnections(): Promise<void> {
  while (performance.now() < end) {
    const since = performance.now();
    const session = connect();
    await ask(session, since);
    session.destroy();
  }
}

/** A Node client needs more CPU for a handshake than a server; more at once only queue. */
const HANDSHAKES_AT_ONCE = 16;
const workers = order.handshakes
  ? Array.from({ length: HANDSHAKES_AT_ONCE }, onNewConnections)
  : Array.from({ length: order.connections }, onOneConnection);
await Promise.all(workers);

const { user, system } = process.cpuUsage(before);
const load: Load = {
  requests,
  failures,
  seconds: (performance.now() - started) / 1000,
  p50: microseconds.percentile(50) / 1000,
  p99: microseconds.percentile(99) / 1000,
  cpuSeconds: (user + system) / 1e6,
};
process.stdout.write(JSON.stringify(load), () => process.exit(0));
