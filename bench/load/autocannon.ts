import { createHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import type { Load, Order } from './load.ts';

// A process of its own: HTTP/1.1 load, in clear or over TLS.

/**
 * What autocannon keeps each answer's content in, as text: decoding it takes nearly all of the
 * load's core (50 MB/s), and there is no option against it. Lengths are checked before the load.
 */
interface Keeping {
  readonly pipelinedRequests: { addBody(content: Buffer): void };
}

function dropContent(client: object): void {
  (client as Keeping).pipelinedRequests.addBody = () => undefined;
}

const order = JSON.parse(process.argv[2] ?? '') as Order;
// autocannon's own histogram counts whole milliseconds: too coarse for a loopback.
const microseconds = createHistogram();
let requests = 0;
let failures = 0;
const started = performance.now();
const before = process.cpuUsage();

const running = autocannon(
  {
    url: order.url,
    connections: order.connections,
    duration: order.seconds,
    headers: { ...order.headers },
    setupClient: dropContent,
    // The run ends with the first sample after its time.
    sampleInt: 50,
  },
  () => {
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(before);
    const load: Load = {
      requests,
      failures,
      seconds,
      p50: microseconds.percentile(50) / 1000,
      p99: microseconds.percentile(99) / 1000,
      cpuSeconds: (user + system) / 1e6,
    };
    process.stdout.write(JSON.stringify(load), () => process.exit(0));
  },
);
running.on('response', (_, status, __, milliseconds) => {
  if (status >= 200 && status < 300) requests += 1;
  else failures += 1;
  microseconds.record(Math.max(1, Math.round(milliseconds * 1000)));
});
running.on('reqError', () => {
  failures += 1;
});
