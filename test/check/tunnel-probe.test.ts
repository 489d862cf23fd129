import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Target, type TargetOptions } from '../../src/check/target.ts';
import { isTunnel } from '../../src/check/tunnel-probe.ts';
import { makeCredentials } from '../../src/net/certificates.ts';
import { startService } from '../_service.ts';
import { listening, startGateway, type Proxy } from './_gateway-server.ts';
import type { Deviation } from './_gateway-messages.ts';
import { startRelay, type RelayFault } from './_relay.ts';

const TIME = 5000;

async function startOrigin(...args: readonly string[]): Promise<number> {
  const { port, service } = await startService('--log-level', 'silent', ...args);
  onTestFinished(() => service.close());
  return port;
}

/** Whether a proxy is taken for a tunnel. It is closed. */
async function judged(proxy: Proxy, more: Partial<TargetOptions> = {}): Promise<boolean> {
  try {
    const target = new Target({ url: proxy.url, insecure: true, ...more });
    return await isTunnel(target, ['http/1.1', 'h2'], TIME);
  } finally {
    await proxy.close();
  }
}

test.each(['http', 'https'] as const)('a relay over %s is a tunnel', async (scheme) => {
  for (const args of [['--allow-raw'], ['--conn-headers', '--name', 'a'], ['--lean']]) {
    const port = await startOrigin(...args);
    expect(await judged(await startRelay(port, scheme)), args.join(' ')).toBe(true);
    const origins = [new URL(`${scheme}://127.0.0.1:${port}`)];
    expect(await judged(await startRelay(port, scheme), { origins }), args.join(' ')).toBe(true);
  }
});

test('a relay that reads what it forwards is a tunnel', async () => {
  const fault = { request: (piece: Buffer) => piece, response: (piece: Buffer) => piece };
  expect(await judged(await startRelay(await startOrigin('--allow-raw'), 'http', fault))).toBe(
    true,
  );
});

/** Text replaced in each piece. */
const replacing = (from: string | RegExp, to: string) => (piece: Buffer) =>
  Buffer.from(piece.toString('latin1').replace(from, to), 'latin1');

/** Each forwards a malformed request line. */
const wrongRelays: readonly (readonly [string, RelayFault])[] = [
  ['adds Via', { request: replacing(/^(GET .*\r\n)/, '$1Via: 1.1 a\r\n') }],
  ['adds to Via', { request: replacing('Via: 1.1 check', 'Via: 1.1 check, 1.1 a') }],
  ['rewrites X-Forwarded-For', { request: replacing('192.0.2.1', '192.0.2.1, 127.0.0.1') }],
  ['removes a field listed in Connection', { request: replacing('X-Check-Listed: 1\r\n', '') }],
  ['removes Keep-Alive', { request: replacing('Keep-Alive: timeout=5\r\n', '') }],
  ['lower-cases names', { request: replacing('X-Check-A: a', 'x-check-a: a') }],
  ['drops empty fields', { request: replacing('X_Check.Empty: \r\n', '') }],
  [
    'merges lines',
    {
      request: replacing(
        /X-Check-A: a {2}b\r\n(.*\r\n)X-Check-A: 1\r\n/,
        'X-Check-A: a  b, 1\r\n$1',
      ),
    },
  ],
  ['normalizes targets', { request: replacing('/./', '/') }],
  ['decodes targets', { request: replacing('%7e', '~') }],
  ['connects for each request', { reconnects: true }],
  ['adds Via to responses', { response: replacing(/^(HTTP.*\r\n)/, '$1Via: 1.1 a\r\n') }],
  ['adds Server to 200', { response: replacing(/^(HTTP.* 200 .*\r\n)/, '$1Server: a\r\n') }],
  ['lower-cases names of responses', { response: replacing('Content-Type:', 'content-type:') }],
  ['changes reason phrases', { response: replacing('200 as sent', '200 OK') }],
];

test.each(wrongRelays)('what %s is no tunnel', async (_name, fault) => {
  const port = await startOrigin('--allow-raw');
  const origins = [new URL(`http://127.0.0.1:${port}`)];
  expect(await judged(await startRelay(port, 'http', fault), { origins })).toBe(false);
});

test('what changes responses is no tunnel, also if the origin sends none as it is told', async () => {
  const port = await startOrigin();
  const fault = { response: replacing(/^(HTTP.* 200 .*\r\n)/, '$1Via: 1.1 a\r\n') };
  expect(await judged(await startRelay(port, 'http', fault))).toBe(false);
  const slight = { response: replacing('Content-Type:', 'content-type:') };
  const origins = [new URL(`http://127.0.0.1:${port}`)];
  expect(await judged(await startRelay(port, 'http', slight), { origins })).toBe(false);
});

/** A relay for HTTP/1.1, and a gateway for HTTP/2. */
async function relayOfHttp1(originPort: number): Promise<Proxy> {
  const gateway = await startGateway({ originPort });
  const server = createServer((client) => {
    client
      .on('error', () => undefined)
      .once('data', (first: Buffer) => {
        const port = first.toString().startsWith('PRI') ? Number(gateway.url.port) : originPort;
        const origin = connect(port, '127.0.0.1');
        origin.on('error', () => client.destroy()).on('close', () => client.destroy());
        client.on('close', () => origin.destroy());
        origin.write(first);
        client.pipe(origin).pipe(client);
      });
  });
  onTestFinished(() => gateway.close());
  return listening(server, 'http');
}

test('what forwards HTTP/2 as HTTP/1.1 is no tunnel', async () => {
  expect(await judged(await relayOfHttp1(await startOrigin('--allow-raw')))).toBe(false);
});

const deviations: readonly (readonly [string, Deviation])[] = [
  ['all that a gateway does', {}],
  ['nothing to fields for one hop', { keepsHopByHop: ['connection', 'keep-alive', 'via'] }],
  [
    'only the fields it adds to responses',
    {
      request: (request, client) => {
        request.fields = [...client.fields].filter(([name]) => name.toLowerCase() !== 'host');
      },
    },
  ],
];

test.each(deviations)(
  'a gateway that forwards malformed messages is no tunnel: it does %s',
  async (_name, deviation) => {
    const originPort = await startOrigin('--allow-raw');
    const forwarding = { ...deviation, forwardsMalformed: true };
    expect(await judged(await startGateway({ originPort }, forwarding))).toBe(false);
    const { cert, key } = await makeCredentials(Date.now());
    const credentials = { cert: String(cert), key: String(key) };
    expect(await judged(await startGateway({ originPort, credentials }, forwarding))).toBe(false);
  },
);
