import { randomBytes } from 'node:crypto';
import http2 from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';

/** Milliseconds between two faults. */
const INTERVAL = 40;

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
/** An empty SETTINGS frame (RFC 9113 6.5). */
const SETTINGS = '\0\0\0\x04\0\0\0\0\0';

type Fault = (port: number) => Promise<void>;

/** Clients that break off, say nothing, say nonsense or never end: one of them every 40 ms. */
const faults: readonly Fault[] = [
  (port) => send(port, ''),
  (port) => send(port, randomBytes(200)),
  (port) => send(port, 'GET /anything HTTP/1.1\r\nHost: x\r\nX-Slow: '),
  (port) => send(port, 'POST /post HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf'),
  (port) =>
    send(port, 'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'),
  (port) => send(port, `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
  (port) => send(port, 'GET /delay/60 HTTP/1.1\r\nHost: x\r\n\r\n'),
  (port) => send(port, 'GET /bytes/10485760 HTTP/1.1\r\nHost: x\r\n\r\n'),
  (port) => send(port, Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3])),
  (port) => send(port, `${PREFACE}${SETTINGS}\0\0\x05\x06\0\0\0\0\0short`),
  (port) => send(port, `${PREFACE}${SETTINGS}\0\0\x04\x01\x05\0\0\0\x01\xff\xff\xff\xff`),
  wrongAlpn,
  resets,
  neverRead,
];

/** Goes on until told to stop; what of it is still open then is closed. */
export async function faultyTraffic(port: number, until: AbortSignal): Promise<number> {
  let count = 0;
  const open = new Set<Promise<void>>();
  while (!until.aborted) {
    const fault = faults[count++ % faults.length];
    const run = fault?.(port).catch(() => undefined);
    if (run) open.add(run.finally(() => open.delete(run)));
    await pause(INTERVAL);
  }
  await Promise.all(open);
  return count;
}

/** Sends what is given and goes, without a word, between 0 and 2 s later. */
async function send(port: number, bytes: string | Uint8Array): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  await leave(socket);
}

async function leave(socket: Socket): Promise<void> {
  await pause(Math.random() * 2000);
  if (Math.random() < 0.5) socket.resetAndDestroy();
  else socket.destroy();
}

async function wrongAlpn(port: number): Promise<void> {
  const socket = tls.connect({
    port,
    host: '127.0.0.1',
    ALPNProtocols: ['spdy/1'],
    rejectUnauthorized: false,
  });
  socket.on('error', () => undefined);
  await pause(500);
  socket.destroy();
}

async function resets(port: number): Promise<void> {
  const session = http2.connect(`http://127.0.0.1:${port}`);
  session.on('error', () => undefined);
  for (let sent = 0; sent < 50 && !session.destroyed; sent++) {
    const stream = session.request({ ':path': '/bytes/100000' });
    stream.on('error', () => undefined);
    stream.close(http2.constants.NGHTTP2_CANCEL);
  }
  await pause(500);
  session.destroy();
}

/** Asks over HTTP/2 and takes nothing: its windows fill. */
async function neverRead(port: number): Promise<void> {
  const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  for (let sent = 0; sent < 20 && !session.destroyed; sent++) {
    session.request({ ':path': '/range/10485760' }).on('error', () => undefined);
  }
  await pause(Math.random() * 3000);
  session.destroy();
}
