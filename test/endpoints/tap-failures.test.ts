import { differs } from '../_engine.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, Socket, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issue, makeAuthority, type Pair } from '../_certificates.ts';
import { openClient } from '../_client.ts';
import { eventsOf } from '../_events.ts';
import { frame, PING, PREFACE, SETTINGS } from '../_frames.ts';
import { INSPECTED } from '../_inspected.ts';
import { exchange, GET, LAST, openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';

type Data = Readonly<Record<string, unknown>>;
type Act = (port: number) => Promise<unknown>;

let directory = '';
let ca = '';
let stranger: Pair;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'wirebin-'));
  ca = join(directory, 'ca.pem');
  await writeFile(ca, (await makeAuthority('Test authority')).cert);
  stranger = await issue('stranger', {});
});
afterAll(() => rm(directory, { recursive: true }));

/** The tap events of the single connection that `act` opens, to a service of its own. */
async function seen(act: Act, ...args: string[]): Promise<Data[]> {
  const limits = { headerTimeout: 1000, sweepInterval: 20, lingerTime: 100 };
  const { port } = await startService('--tap', limits, ...args);
  const client = openClient('h2c', port);
  // The connection of the tap itself is opened before.
  await client.request('/healthz');
  const left = await act(port);
  const tapEvents = async (): Promise<Data[]> => {
    const { body } = await client.request('/tap?duration=0', { headers: { 'last-event-id': '' } });
    const [first, ...events] = eventsOf(body.toString()).map(({ data }) => data);
    return events.filter(({ conn }) => conn !== first?.['conn'] && conn !== undefined);
  };
  let events = await tapEvents();
  while (events.every(({ kind }) => kind !== 'closed')) {
    await pause(20);
    events = await tapEvents();
  }
  if (left instanceof Socket) left.destroy();
  client.close();
  return events;
}

/** A handshake that is expected to fail. */
function handshake(options: () => tls.ConnectionOptions): Act {
  return (port) =>
    new Promise((resolve) => {
      const base = { port, host: '127.0.0.1', rejectUnauthorized: false };
      const socket = tls.connect({ ...base, ...options() });
      // With TLS 1.3 the client notices the failure only when it reads.
      socket.on('secureConnect', () => socket.write(GET('/')));
      socket.on('error', () => undefined).on('close', resolve);
      socket.resume();
    });
}

/** Sends FIN in place of what follows ServerHello. */
function leavesHandshake(options: tls.ConnectionOptions): Act {
  return async (port) => {
    const { hello, close } = await helloOfClient(options);
    const socket = await openSocket(port);
    socket.write(hello);
    await once(socket, 'data');
    socket.end();
    close();
    return socket;
  };
}

/** The ClientHello of a client, which waits for a response. */
async function helloOfClient(options: tls.ConnectionOptions) {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const client = tls.connect({ port, host: '127.0.0.1', ...options });
  client.on('error', () => undefined);
  const [accepted] = (await once(silent, 'connection')) as [Socket];
  const [hello] = (await once(accepted, 'data')) as [Buffer];
  const close = (): void => {
    client.destroy();
    accepted.destroy();
    silent.close();
  };
  return { hello, close };
}

/** Writes cleartext bytes and ignores the response. */
function bytes(text: string | Buffer): Act {
  return (port) => exchange(port, text);
}

function leave(how: (socket: Socket) => void, ...first: Buffer[]): Act {
  return async (port) => {
    const socket = await openSocket(port);
    for (const chunk of first) socket.write(chunk);
    await pause(50);
    how(socket);
    return socket;
  };
}

const ja4 = (start: string): unknown =>
  expect.stringMatching(new RegExp(`^${start}_[\\da-f]{12}_[\\da-f]{12}$`));
const HELLO = Buffer.from('16030100050100000100', 'hex');

const LEFT = { by: 'client', reason: 'closed' };
const REFUSED = { by: 'wirebin', reason: 'handshake-failed', requests: 0 };
const required = () => ['--client-cert=require', `--tls-ca=${ca}`];

describe.concurrent('a handshake that fails', () => {
  test.each<[name: string, act: Act, expected: object, args?: () => string[], end?: object]>([
    [
      'without a common protocol (RFC 7301 3.2)',
      handshake(() => ({ ALPNProtocols: ['spdy/3'], servername: 'balancer.example' })),
      {
        reason: 'no application protocol',
        code: 'ERR_SSL_NO_APPLICATION_PROTOCOL',
        sni: 'balancer.example',
        ja4: ja4(String.raw`t13d\d{4}s3`),
        alpn_offered: ['spdy/3'],
      },
    ],
    [
      'without a common version',
      handshake(() => ({ maxVersion: 'TLSv1.2' })),
      { reason: 'unsupported protocol', sni: null, ja4: ja4(String.raw`t12i\d{4}00`) },
      () => ['--tls-min', 'TLSv1.3'],
    ],
    [
      'without a common cipher',
      handshake(() => ({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })),
      { reason: 'no shared cipher', versions_offered: ['TLSv1.2'] },
    ],
    [
      'with bytes that are not a ClientHello',
      bytes(HELLO),
      { reason: 'length too short', ja4: null },
    ],
    [
      'because the client has no certificate',
      handshake(() => ({ servername: 'mesh.example', ecdhCurve: 'X448' })),
      { reason: 'no certificate', sni: 'mesh.example', group: 'x448', hello_retry_request: false },
      required,
    ],
    [
      "because the client's certificate is not trusted",
      handshake(() => ({ ...stranger, ecdhCurve: 'X448' })),
      { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT', ja4: ja4('t13i.*'), group: 'x448' },
      required,
    ],
    [
      "because the client does not trust wirebin's certificate",
      handshake(() => ({ rejectUnauthorized: true, servername: 'localhost', ecdhCurve: 'X448' })),
      {
        reason: 'the client disconnected during the handshake',
        group: 'x448',
        hello_retry_request: false,
      },
      () => [],
      LEFT,
    ],
    [
      'the same without SNI',
      handshake(() => ({ rejectUnauthorized: true, ecdhCurve: 'X448' })),
      // Node frees the session before it reports the error.
      {
        reason: 'the client disconnected during the handshake',
        group: INSPECTED ? 'x448' : null,
        hello_retry_request: INSPECTED ? false : null,
      },
      () => [],
      LEFT,
    ],
    [
      'because the client leaves without an alert, with --inspect',
      leavesHandshake({ ecdhCurve: 'P-384', servername: 'a.example' }),
      { reason: 'the client disconnected during the handshake', group: 'secp384r1' },
      () => ['--inspect'],
      LEFT,
    ],
    [
      'the same in TLS 1.2',
      leavesHandshake({ ecdhCurve: 'P-384:P-256', maxVersion: 'TLSv1.2' }),
      {
        reason: 'the client disconnected during the handshake',
        group: 'secp256r1',
        hello_retry_request: false,
      },
      () => ['--inspect'],
      LEFT,
    ],
  ])('%s', async (_, act, expected, args = () => [], end = REFUSED) => {
    const events = await seen(act, ...args());
    expect(events.map(({ kind }) => kind)).toEqual(['opened', 'handshake_failed', 'closed']);
    expect(events[1]).toMatchObject(expected);
    expect(events[2]).toMatchObject(end);
  });

  test('with a ClientHello that is too long', async () => {
    const start = Buffer.from('1603014000010fffff', 'hex');
    const records = Array.from({ length: 4 }, () => [
      Buffer.from('1603014000', 'hex'),
      Buffer.alloc(0x4000),
    ]);
    const hello = Buffer.concat([start, Buffer.alloc(0x4000 - 4), ...records.flat()]);
    const events = await seen(bytes(hello));
    expect(events[1]).toMatchObject({ kind: 'handshake_failed', sni: null });
    expect(events[1]?.['reason']).toMatch(/too long/);
  });
});

describe.concurrent('connections without a request', () => {
  test.each<[name: string, act: Act, end: object]>([
    [
      'a connection that is closed without a byte',
      leave((socket) => socket.end()),
      { by: 'client', reason: 'closed', octets_received: 0, octets_sent: 0 },
    ],
    [
      'one that is reset',
      leave((socket) => socket.resetAndDestroy()),
      { by: 'client', reason: 'reset' },
    ],
    [
      'one that sends an incomplete first record',
      leave((socket) => socket.end(), HELLO.subarray(0, 7)),
      { by: 'client', reason: 'closed', octets_received: 7 },
    ],
    [
      'one that sends nothing in time',
      leave((socket) => socket.pause()),
      { by: 'wirebin', reason: 'header-timeout' },
    ],
  ])('%s', async (_, act, end) => {
    const events = await seen(act);
    expect(events.map(({ kind }) => kind)).toEqual(['opened', 'closed']);
    expect(events[1]).toMatchObject({ ...end, protocol: null, requests: 0 });
  });
});

describe.concurrent('rejected messages', () => {
  test('HTTP/1.1, with the reason, after earlier requests', async () => {
    const events = await seen(bytes(`${GET('/ip')}no message\r\n\r\n`));
    expect(new Set(events.map(({ kind }) => kind))).toEqual(
      new Set(['opened', 'request', 'rejected', 'closed']),
    );
    const rejected = events.find(({ kind }) => kind === 'rejected');
    expect(rejected).toMatchObject({ code: 'invalid-message', protocol: 'http/1.1' });
    expect(rejected?.['reason']).toMatch(/request target/);
    expect(rejected).toMatchObject({ method: null, path: null, bytes: 'no message\r\n\r\n' });
    expect(events.at(-1)).toMatchObject({ kind: 'closed', reason: 'refused', requests: 1 });
  });

  const BAD = 'GET /anything/a?pin=c HTTP/1.1\r\nHost: x\r\nCookie: a=b\r\nBad Name: c\r\n\r\n';
  const SHOWN = BAD.replace('pin=c', 'pin=[redacted]').replace('a=b', '[redacted]');

  test.each<[name: string, act: Act, expected: object, ...args: string[]]>([
    [
      'a field line, with the bytes received, without secrets',
      bytes(BAD),
      { method: 'GET', path: '/anything/a', query: 'pin=[redacted]', bytes: SHOWN },
    ],
    [
      'the same with secrets',
      bytes(BAD),
      { method: 'GET', path: '/anything/a', query: 'pin=c', bytes: BAD },
      '--tap-secrets',
    ],
    [
      'CONNECT',
      bytes('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n'),
      { method: 'CONNECT', path: 'x:1', query: '', bytes: expect.stringMatching(/^CONNECT x:1 /) },
    ],
    [
      'the bytes received before the timeout',
      bytes('GET /slow'),
      { method: null, bytes: 'GET /slow' },
    ],
    [
      'a path with a password',
      bytes('GET /basic-auth/user/Hunter2 HTTP/7.7\r\n\r\n'),
      { path: '/basic-auth/[redacted]', bytes: expect.not.stringContaining('Hunter2') },
    ],
    [
      `at most ${INSPECTED ? 8 : 1} KiB`,
      bytes(`GET / HTTP/7.7\r\nX: ${'x'.repeat(9000)}\r\n\r\n`),
      { bytes: expect.stringMatching(INSPECTED ? /^[^]{8192}$/ : /^[^]{1024}$/) },
    ],
    [
      'HTTP/1.1 where ALPN chose h2',
      (port) => exchange(port, GET('/health'), ['h2']),
      {
        protocol: 'h2',
        reason: 'ALPN selected h2, but the client sent no HTTP/2 connection preface',
        method: 'GET',
        path: '/health',
        bytes: GET('/health'),
      },
    ],
    [
      'HTTP/2 where ALPN chose http/1.1',
      (port) => exchange(port, PREFACE, ['http/1.1']),
      {
        reason: 'HTTP/2 connection preface on HTTP/1.1',
        bytes: 'PRI * HTTP/2.0\r\n\r\n',
      },
    ],
  ])('%s', async (_, act, expected, ...args) => {
    const events = await seen(act, ...args);
    const rejected = events.filter(({ kind }) => kind === 'rejected');
    expect(rejected).toHaveLength(1);
    expect(rejected[0]).toMatchObject(expected);
    expect(events.at(-1)).toMatchObject({ kind: 'closed', by: 'wirebin' });
  });

  test('a missing PROXY header, with the bytes received instead', async () => {
    const { port, logged } = await startService('--tap', '--proxy-protocol', 'require');
    await exchange(port, GET('/health'));
    const header = Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n');
    const target = '/tap?kind=rejected&path=/health&duration=0.1';
    const request = Buffer.from(GET(target, `Last-Event-ID:\r\n${LAST}`));
    const answer = await exchange(port, Buffer.concat([header, request]));
    expect(answer).toContain('"reason":"PROXY header: missing"');
    expect(answer).toContain('"bytes":"GET /health HTTP/1.1');
    expect(logged).toMatchObject([{ level: 30, msg: 'PROXY header rejected', reason: 'missing' }]);
  });

  test('is logged at debug level, without any value', async () => {
    const { port, logged } = await startService('--log-level', 'debug');
    await exchange(port, BAD);
    await exchange(port, GET('/health?a=b'), ['h2']);
    const shown = { method: 'GET', query: '[redacted]' };
    expect(logged.filter(({ msg }) => msg === 'message rejected')).toMatchObject([
      {
        ...shown,
        path: '/anything/a',
        bytes:
          'GET /anything/a?[redacted] HTTP/1.1\r\nHost: [redacted]\r\nCookie: [redacted]\r\nBad Name: [redacted]\r\n\r\n',
      },
      {
        ...shown,
        path: '/health',
        bytes: 'GET /health?[redacted] HTTP/1.1\r\nHost: [redacted]\r\n\r\n',
      },
    ]);
  });

  test('a header section that is too large', async () => {
    const events = await seen(bytes(GET('/ip', `X: ${'x'.repeat(40_000)}\r\n`)));
    expect(events[1]).toMatchObject({ kind: 'rejected', code: 'fields-too-large' });
  });

  test('frames that end a session', async () => {
    const misfit = frame(SETTINGS, 0, 0, Buffer.alloc(5));
    const reason = differs('A connection error')
      ? 'the first frame is not SETTINGS (RFC 9113 3.4)'
      : 'Protocol error';
    const events = await seen(bytes(Buffer.concat([PREFACE, frame(PING, 0, 0, Buffer.alloc(8))])));
    expect(events.map(({ kind }) => kind)).toEqual(['opened', 'rejected', 'closed']);
    expect(events[1]).toMatchObject({ protocol: 'h2c', reason });
    expect(events[2]).toMatchObject({ by: 'wirebin', reason: 'protocol-error' });
    // Node 20 reports no others.
    if (process.versions.node.startsWith('20.')) return;
    const later = await seen(bytes(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0), misfit])));
    expect(later.map(({ kind }) => kind)).toEqual(['opened', 'rejected', 'closed']);
  });
});
