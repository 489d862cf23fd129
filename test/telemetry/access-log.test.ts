import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { Opcode } from '../../src/wire/websocket/frame.ts';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { Networks } from '../../src/http/ip-address.ts';
import { createAccessLog, type LogFormat } from '../../src/telemetry/access-log.ts';
import { until } from '../_adapters.ts';
import { openClient, transports } from '../_client.ts';
import { echoOf } from '../_echo.ts';
import { FakeExchange } from '../_exchange.ts';
import { exchange as converse, GET, LAST, openSocket, POST } from '../_raw.ts';
import { startService } from '../_service.ts';
import { closeWebSockets, frame, openWebSocket } from '../_websocket.ts';

/** What is logged of a request, in JSON its details. */
function logged(exchange: FakeExchange, format: LogFormat, isComplete = true): unknown {
  const lines: unknown[] = [];
  const other = vi.fn();
  const info = (details: object): unknown => lines.push(details);
  const log = { error: other, warn: other, debug: other, info };
  const accessLog = createAccessLog(format, log, (line) => lines.push(line));
  accessLog.finished(exchange, isComplete);
  expect(lines).toHaveLength(1);
  expect(other).not.toHaveBeenCalled();
  return lines[0];
}

interface GivenRequest {
  readonly method?: string;
  readonly fields?: string[];
}

function requestOf(target: string, given: GivenRequest = {}, remoteAddress = '192.0.2.1') {
  const socket: Socket = Object.create(new Socket(), { remoteAddress: { value: remoteAddress } });
  const exchange = new FakeExchange(target, { ...given, connection: new TcpConnection(socket) });
  exchange.status = 200;
  exchange.bytes = 12;
  return exchange;
}

/** The line without its time. */
const line = (exchange: FakeExchange, format: LogFormat = 'common'): string =>
  String(logged(exchange, format)).replace(/\[.*?\]/, '[time]');

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('JSON', () => {
  test('the request, its client and its response', () => {
    const exchange = requestOf('/anything/a?query');
    expect(logged(exchange, 'json')).toEqual({
      method: 'GET',
      path: '/anything/a',
      endpoint: undefined,
      status: 200,
      client: '192.0.2.1',
      protocol: 'http/1.1',
      conn: exchange.connection.id,
      request: 1,
      bytes_in: 0,
      bytes_out: 12,
      duration_ms: expect.any(Number),
    });
  });

  test('the duration has one decimal', () => {
    const exchange = requestOf('/');
    const now = vi.spyOn(performance, 'now').mockReturnValue(exchange.receivedAt + 12.3456);
    expect(logged(exchange, 'json')).toMatchObject({ duration_ms: 12.3 });
    now.mockRestore();
  });

  test('neither the query nor a secret path', () => {
    const exchange = requestOf('/basic-auth/user/secret?query');
    const details = logged(exchange, 'json');
    expect(details).toMatchObject({ path: '/basic-auth/[redacted]' });
    expect(JSON.stringify(details)).not.toMatch(/query|secret/);
  });

  test('a fault, and a response that is not complete', () => {
    const exchange = requestOf('/fault/garbage');
    expect(logged(exchange, 'json')).not.toHaveProperty('fault');
    expect(logged(exchange, 'json')).not.toHaveProperty('complete');
    exchange.fault = { kind: 'garbage' };
    expect(logged(exchange, 'json', false)).toMatchObject({ fault: 'garbage', complete: false });
  });

  test('the client that a trusted proxy forwards for, and no other', () => {
    const fields = ['X-Forwarded-For', '198.51.100.7'];
    const exchange = requestOf('/', { fields });
    expect(logged(exchange, 'json')).toMatchObject({ client: '192.0.2.1' });
    const trusted = new Networks();
    trusted.add('192.0.2.0/24');
    exchange.connection.identifyClient(undefined, trusted);
    expect(logged(exchange, 'json')).toMatchObject({ client: '198.51.100.7' });
  });

  test('a span in the trace of the caller', () => {
    const fields = ['traceparent', `00-${TRACE}-${PARENT}-01`];
    const details = logged(requestOf('/', { fields }), 'json');
    expect(details).toMatchObject({ trace_id: TRACE, parent_id: PARENT, trace_flags: '01' });
    expect(details).toMatchObject({ span_id: expect.stringMatching(/^[\da-f]{16}$/) });
    expect(logged(requestOf('/', { fields }), 'json')).not.toMatchObject({
      span_id: (details as { span_id: string }).span_id,
    });
  });

  test.each(['nothing', `00-${'0'.repeat(32)}-${PARENT}-01`])(
    'no trace without a valid traceparent: %s',
    (traceparent) => {
      const details = logged(requestOf('/', { fields: ['traceparent', traceparent] }), 'json');
      expect(
        Object.keys(details as object).filter((name) => /trace|span|parent/.test(name)),
      ).toEqual([]);
    },
  );
});

describe('common', () => {
  test('host, time, request line, status and bytes', () => {
    expect(line(requestOf('/get?query'))).toBe('192.0.2.1 - - [time] "GET /get HTTP/1.1" 200 12');
  });

  test('the time is that of the request, in UTC', () => {
    const exchange = requestOf('/');
    vi.useFakeTimers({ now: Date.UTC(2026, 0, 5, 7, 8, 9), toFake: ['Date'] });
    const now = vi.spyOn(performance, 'now').mockReturnValue(exchange.receivedAt + 4000);
    const text = logged(exchange, 'common');
    now.mockRestore();
    vi.useRealTimers();
    expect(text).toContain(' [05/Jan/2026:07:08:05 +0000] ');
  });

  test('hyphens for what is unknown', () => {
    const exchange = requestOf('http://[', {}, '');
    exchange.status = undefined;
    exchange.bytes = 0;
    expect(exchange.target).toBeUndefined();
    expect(line(exchange)).toBe('- - - [time] "GET - HTTP/1.1" - -');
  });

  test('CONNECT has no path', () => {
    const exchange = requestOf('a.example:443', { method: 'CONNECT' });
    expect(line(exchange)).toBe('192.0.2.1 - - [time] "CONNECT - HTTP/1.1" 200 12');
  });

  test('a secret parameter of a path segment', () => {
    expect(line(requestOf('/a;jsessionid=1/b;c=d'))).toContain(
      '"GET /a;jsessionid=[redacted]/b;c=d HTTP/1.1"',
    );
  });

  test.each([
    ['quotation marks and backslashes', 'a"b\\c', String.raw`a\"b\\c`],
    ['line ends and tabs', 'a\r\n127.0.0.1 - -\tb', String.raw`a\x0d\x0a127.0.0.1 - -\x09b`],
    ['escape sequences of terminals', '\u001B[2Ja\u007F', String.raw`\x1b[2Ja\x7f`],
    ['bytes above 127', 'ä\u0080', String.raw`\xe4\x80`],
    ['characters of more bytes', '€😀', String.raw`\xe2\x82\xac\xf0\x9f\x98\x80`],
    ['half of a surrogate pair', '\uD83D', String.raw`\xef\xbf\xbd`],
  ])('combined: %s cannot end a value or a line', (_, value, escaped) => {
    const exchange = requestOf('/', { fields: ['User-Agent', value] });
    expect(line(exchange, 'combined')).toBe(
      `192.0.2.1 - - [time] "GET / HTTP/1.1" 200 12 "-" "${escaped}"`,
    );
  });

  test('the method and the path are escaped too', () => {
    const exchange = requestOf('/a"b\nc', { method: 'X"\n' });
    expect(line(exchange)).toBe(
      String.raw`192.0.2.1 - - [time] "X\"\x0a /a\"b\x0ac HTTP/1.1" 200 12`,
    );
  });

  test('combined: Referer without its path, and no more of User-Agent than 1,024 characters', () => {
    const fields = ['Referer', 'https://a.example/secret?token=1', 'User-Agent', 'x'.repeat(2000)];
    expect(line(requestOf('/', { fields }), 'combined')).toBe(
      `192.0.2.1 - - [time] "GET / HTTP/1.1" 200 12 "https://a.example/[redacted]" "${'x'.repeat(1024)}"`,
    );
  });
});

describe('a service', () => {
  test.each(transports)('%s: bytes of content in both directions', async (transport) => {
    const { port, logged: lines } = await startService('--log-requests');
    const client = openClient(transport, port);
    const body = Buffer.alloc(100_000, 'a');
    const requests = () => lines.filter(({ msg }) => msg === 'request');
    await client.request('/upload', { method: 'POST', body });
    // Its handler does not read the content.
    await client.request('/status/404', { method: 'POST', body: 'unread' });
    await client.request('/bytes/777');
    await client.request('/get', { method: 'HEAD' });
    await until(() => requests().length === 4);
    expect(requests()).toMatchObject([
      { bytes_in: 100_000, status: 200, client: '127.0.0.1' },
      { bytes_in: 6, status: 404 },
      { bytes_in: 0, bytes_out: 777, status: 200 },
      { bytes_in: 0, bytes_out: 0, status: 200 },
    ]);
  });

  test.each(transports)('%s: bytes of a WebSocket in both directions', async (transport) => {
    const args = ['--log-requests', '--h2-enable-connect-protocol'];
    const { port, logged: lines } = await startService(...args);
    const client = await openWebSocket(transport, port);
    const frames = [frame(Opcode.text, 'a'.repeat(100)), frame(Opcode.close)] as const;
    await client.send(...frames).ended;
    await until(() => lines.some(({ msg }) => msg === 'request'));
    const [text, close] = frames.map(({ length }) => length);
    // Those of the client are masked, with four bytes each.
    expect(lines.at(-1)).toMatchObject({
      bytes_in: (text ?? 0) + (close ?? 0),
      bytes_out: (text ?? 0) + (close ?? 0) - 8,
    });
    closeWebSockets();
  });

  test.each(transports)('%s: the group of the key exchange, over TLS', async (transport) => {
    const { port, logged: lines } = await startService('--log-requests');
    const { tls } = echoOf((await openClient(transport, port).request('/anything')).body);
    await until(() => lines.some(({ msg }) => msg === 'request'));
    const isTls = transport === 'https/1.1' || transport === 'h2';
    expect(typeof tls?.group?.name).toBe(isTls ? 'string' : 'undefined');
    expect(lines.at(-1)?.['tls_group']).toBe(tls?.group?.name);
  });

  test('chunks without their framing', async () => {
    const { port, logged: lines } = await startService('--log-requests');
    const fields = `Transfer-Encoding: chunked\r\n${LAST}`;
    await converse(port, `${POST('/anything', fields)}3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n`);
    await until(() => lines.some(({ msg }) => msg === 'request'));
    expect(lines.at(-1)).toMatchObject({ bytes_in: 7, method: 'POST' });
  });

  test('a client that disconnects', async () => {
    const { port, logged: lines } = await startService('--log-requests');
    const socket = await openSocket(port);
    socket.write(GET('/drip?duration=60&numbytes=60'));
    await once(socket, 'data');
    socket.resetAndDestroy();
    await until(() => lines.some(({ msg }) => msg === 'request'));
    expect(lines.at(-1)).toMatchObject({ status: 200, complete: false });
  });

  test('lines that are not JSON are messages of a logger without another output', async () => {
    const args = ['--log-requests', '--log-format', 'common'];
    const { port, logged: lines } = await startService(...args);
    await converse(port, GET('/status/204', LAST));
    await until(() => lines.length > 0);
    expect(lines.at(-1)?.['msg']).toMatch(
      /^127\.0\.0\.1 - - \[\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET \/status\/204 HTTP\/1\.1" 204 -$/,
    );
  });

  test('--log-format requires --log-requests', async () => {
    await expect(startService('--log-format', 'common')).rejects.toThrow(
      '--log-format requires --log-requests',
    );
  });
});
