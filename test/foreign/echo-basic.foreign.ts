import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findProgram } from '../../bench/processes.ts';
import { exchange, GET, LAST, POST } from '../_raw.ts';
import { sharedService } from '../_shared.ts';
import { freePorts } from '../_system.ts';
import { HANDSHAKE } from '../_websocket.ts';
import { openSession } from '../grpc/_call.ts';
import { call } from '../grpc/_client.ts';

const program = findProgram('echo-basic');
if (program === undefined) console.log('echo-basic: not run, there is none');

type Fields = OutgoingHttpHeaders;

/** What GrpcEcho answers. */
interface Echoed {
  readonly assertions: { readonly headers: readonly Record<'key' | 'value', string>[] };
}

const UUID = randomUUID();
const retry = (key: string, query: string) => GET(`/retry/a?uuid=${UUID}${key}&${query}`, LAST);
const failing = retry('a', 'succeedAfter=1&responseCode=503&delayRetry=10ms');
const reset = retry('b', 'succeedAfter=1');
const set = (value: string) => GET('/x', `${LAST}X-Echo-Set-Header: ${value}\r\n`);

/** Requests to which both respond alike. */
const alike = {
  'any path': GET('/a//b/c?x=1&y=%3C', LAST),
  'fields of any kind': GET('/a', `${LAST}x-b: 2\r\nX-A: <1>\r\nx-b: 3\r\nOrigin: http://a\r\n`),
  OPTIONS: GET('/a', LAST).replace('GET', 'OPTIONS'),
  HEAD: GET('/a', LAST).replace('GET', 'HEAD'),
  content: POST('/a', LAST, 'content'),
  health: GET('/health', LAST),
  'health after two slashes': GET('//health', LAST),
  'below health': GET('/health/', LAST),
  'a status': GET('/status/503', LAST),
  'a status without content': GET('/status/204', LAST),
  'a delay': GET('/a?delay=10ms', LAST),
  'a negative delay': GET('/a?delay=-1s', LAST),
  'fields of the response': set('x-one:1, x-two: 2 ,x-one:3,x-four'),
  'fields that are none': set(':a,a b:c,,Content-Type:x,X-Content-Type-Options:x'),
  'a first attempt': failing,
  'a second attempt': failing,
  'a first attempt that is reset': reset,
  'a second attempt after the reset': reset,
  'no attempt that fails': retry('c', 'succeedAfter=0&delay=10ms'),
};

/** Requests of which only the status is the same. */
const sameStatus = {
  'a WebSocket that is closed': `${GET('/ws?x', HANDSHAKE + 'Origin: http://a\r\n')}\x88\x80\0\0\0\0`,
  'no status': GET('/status/x', LAST),
  'below a status': GET('/status/503/', LAST),
  'no uuid': GET('/retry/a?succeedAfter=1', LAST),
  'no number of attempts': GET('/retry/a?uuid=a&succeedAfter=x', LAST),
  'no WebSocket': GET('/ws', LAST),
  'another version of WebSocket': GET('/ws', HANDSHAKE.replace('13', '8') + LAST),
  'another method for a WebSocket': POST('/ws', LAST),
};

/** A response without what differs between any two of them, fields in order of the alphabet. */
function normalized(response: string): string {
  const [head = '', ...content] = response.split('\r\n\r\n');
  const own = /^(?:Date|X-Request-Id|X-Response-Time|Connection|Content-Length):/i;
  const [line = '', ...fields] = head.split('\r\n').filter((each) => !own.test(each));
  const body = content.join('\r\n\r\n').replace(/"httpPort": "\d+"/, '"httpPort": ""');
  return [line, ...fields.toSorted(), '', body].join('\n');
}

/** Calls of gRPC that both answer alike. */
const calls: Readonly<Record<string, readonly [method: string, fields: Fields]>> = {
  'metadata, some of it twice': ['Echo', { b: '2', a: ['1', '3'] }],
  'fields of gRPC': [
    'EchoTwo',
    {
      'grpc-accept-encoding': 'gzip',
      'grpc-message': 'a',
      'grpc-message-type': 'b',
      'grpc-previous-rpc-attempts': '1',
      'grpc-status': '1',
      'grpc-timeout': '9S',
      'user-agent': 'x',
    },
  ],
  'binary metadata': ['Echo', { 'a-bin': 'w6k', 'b-bin': 'w6k=', 'c-bin': '' }],
  'Host alone': ['Echo', { ':authority': undefined, host: 'a.example' }],
  'Host as well': ['Echo', { ':authority': 'b.example', host: 'a.example' }],
  'a method that is not implemented': ['EchoThree', {}],
};

/** The end of a call, without what the order of Go's maps gives. */
async function called(to: number, method: string, fields: Fields) {
  const session = openSession(to);
  const path = `gateway_api_conformance.echo_basic.grpcecho.GrpcEcho/${method}`;
  const sent = { ':authority': 'a.example', ...fields };
  const { messages, status, text } = await call(session, path, {}, sent);
  session.close();
  const [{ assertions } = { assertions: undefined }] = messages as Echoed[];
  const headers = assertions?.headers.map(({ key, value }) => `${key}: ${value}`).toSorted();
  return { status, text, assertions: { ...assertions, headers } };
}

const ask = (to: number, request: string) => exchange(to, request).catch(() => 'reset');

const start = (env: NodeJS.ProcessEnv) =>
  spawn(program ?? '', { env: { ...env, NAMESPACE: 'ns' }, stdio: 'ignore' });

describe.runIf(program)('beside echo-basic', () => {
  const running = sharedService('--dialect', 'gateway-api', '--namespace', 'ns');
  let theirs: ChildProcess;
  let grpc: ChildProcess;
  let port = 0;
  let grpcPort = 0;

  beforeAll(async () => {
    const [http = 0, h2c = 0, grpcHttp = 0] = await freePorts(3);
    port = http;
    grpcPort = grpcHttp;
    theirs = start({ HTTP_PORT: String(http), H2C_PORT: String(h2c) });
    grpc = start({ HTTP_PORT: String(grpcHttp), GRPC_ECHO_SERVER: '1' });
    const listening = async () => expect(await ask(port, GET('/health', LAST))).toContain('OK');
    await vi.waitFor(listening, 30_000);
    const serving = async () =>
      expect(await called(grpcPort, 'Echo', {})).toMatchObject({ status: '0' });
    await vi.waitFor(serving, 30_000);
  });
  afterAll(() => {
    theirs.kill();
    grpc.kill();
  });

  const both = async (request: string) =>
    Promise.all([ask(running().port, request), ask(port, request)]);

  test.each(Object.entries(alike))('%s', async (_, request) => {
    const [our, their] = await both(request);
    expect(normalized(our)).toBe(normalized(their));
  });

  test.each(Object.entries(sameStatus))('the status of %s', async (_, request) => {
    const [our, their] = await both(request);
    expect(our.slice(0, 12)).toBe(their.slice(0, 12));
  });

  test.each(Object.entries(calls))('a call with %s', async (_, [method, fields]) => {
    const [our, their] = await Promise.all([
      called(running().port, method, fields),
      called(grpcPort, method, fields),
    ]);
    expect(our).toEqual(their);
  });
});
