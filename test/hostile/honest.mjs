// An honest client in a process of its own, so that no attacker holds it up: one request after the
// other, in turn on HTTP/1.1 in clear, on HTTP/2 over TLS and, with `connects`, on a connection of its
// own. Asked by its parent it says what it has seen since it was last asked.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';

const [, , port, service, option] = process.argv;
const connects = option === 'connects';
/** Milliseconds. Where it is looked at how busy the service is, others may have the machine. */
const PATIENCE = connects ? 60_000 : 10_000;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let latencies = [];
let errors = [];
let busiest = 0;
let session;

process.on('message', () => {
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0;
  process.send({ requests: latencies.length, p99, busiest, errors });
  busiest = 0;
  latencies = [];
  errors = [];
});

const h1 = (over) =>
  new Promise((resolve, reject) => {
    const request = http.get(
      { port, host: '127.0.0.1', path: '/healthz', agent: over },
      (incoming) => {
        incoming.resume();
        incoming.on('end', () =>
          incoming.statusCode === 200 ? resolve() : reject(new Error(`${incoming.statusCode}`)),
        );
        incoming.on('error', reject);
      },
    );
    request.setTimeout(PATIENCE, () => request.destroy(new Error('no response in time')));
    request.on('error', reject);
  });

const h2 = () =>
  new Promise((resolve, reject) => {
    if (!session || session.destroyed || session.closed) {
      session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
      session.on('error', () => undefined);
    }
    const stream = session.request({ ':path': '/healthz' });
    let status;
    stream.on('response', (headers) => (status = headers[':status']));
    stream.on('end', () => (status === 200 ? resolve() : reject(new Error(`${status}`))));
    stream.on('error', reject);
    stream.resume();
  });

/** Milliseconds that the event loop of the service has been busy so far: machines are, with others. */
const busy = () =>
  Number(readFileSync(`/proc/${service}/task/${service}/schedstat`, 'latin1').split(' ')[0]) / 1e6;

const ways = [() => h1(agent), h2, ...(connects ? [() => h1(false)] : [])];
for (let sent = 0; ; sent++) {
  const began = performance.now();
  const before = busy();
  try {
    await ways[sent % ways.length]();
    latencies.push(performance.now() - began);
    busiest = Math.max(busiest, busy() - before);
  } catch (error) {
    errors.push(String(error));
  }
  await new Promise((resolve) => {
    setTimeout(resolve, 3);
  });
}
