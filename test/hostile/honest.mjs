// An honest client in a process of its own, so that no attacker holds it up: one request after the
// other, in turn on HTTP/1.1 in clear and on HTTP/2 over TLS. Asked by its parent it says what it has
// seen since it was last asked.
import http from 'node:http';
import http2 from 'node:http2';

const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let latencies = [];
let errors = [];
let session;

process.on('message', () => {
  latencies.sort((a, b) => a - b);
  const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? 0;
  process.send({ requests: latencies.length, p99, errors });
  latencies = [];
  errors = [];
});

const h1 = () =>
  new Promise((resolve, reject) => {
    const request = http.get({ port, host: '127.0.0.1', path: '/healthz', agent }, (incoming) => {
      incoming.resume();
      incoming.on('end', () =>
        incoming.statusCode === 200 ? resolve() : reject(new Error(`${incoming.statusCode}`)),
      );
      incoming.on('error', reject);
    });
    request.setTimeout(10_000, () => request.destroy(new Error('no answer in 10 s')));
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

for (let sent = 0; ; sent++) {
  const began = performance.now();
  try {
    await (sent % 2 === 0 ? h1() : h2());
    latencies.push(performance.now() - began);
  } catch (error) {
    errors.push(String(error));
  }
  await new Promise((resolve) => {
    setTimeout(resolve, 3);
  });
}
