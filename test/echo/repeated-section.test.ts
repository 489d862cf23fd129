import { expect, onTestFinished, test } from 'vitest';
import { until } from '../_adapters.ts';
import { echoOf } from '../_echo.ts';
import * as h2 from '../_frames.ts';
import { openSocket } from '../_raw.ts';
import { startService } from '../_service.ts';

const FIELDS: [string, string][] = [
  ['x-a', 'a"b'],
  ['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ['content-digest', 'sha-256=:AAAA:'],
];

/** A client that sends the same bytes for the same request, so that they are the same header section. */
async function open(port: number, opening = h2.OPENING): Promise<h2.FrameClient> {
  const socket = await openSocket(port);
  onTestFinished(() => void socket.destroy());
  return new h2.FrameClient(socket, opening);
}

/** The echoes of requests for paths, in order. */
async function echoes(client: h2.FrameClient, first: number, paths: readonly string[]) {
  const streams = paths.map((_, at) => first + 2 * at);
  client.send(...streams.map((stream, at) => h2.get(stream, paths[at] ?? '', ...FIELDS)));
  await until(() => streams.every((stream) => client.isDone(stream)));
  return streams.map((stream) => client.content(stream));
}

/** A POST with the same section as others. */
const post = (stream: number, content: string): Buffer[] => [
  h2.post(stream, '/anything', ...FIELDS),
  h2.frame(h2.DATA, h2.END_STREAM, stream, Buffer.from(content)),
];

/** The echo without what is of one request. */
function shared(text: string) {
  const { timing: _, conn, ...others } = echoOf(text);
  const { request: _request, stream: _stream, open_streams: _open, age_ms: _age, ...same } = conn;
  return { ...others, conn: same };
}

test('a repeated request has an echo of its own', async () => {
  const { port } = await startService('--h2-engine=wirebin');
  const client = await open(port);
  const [path, other] = ['/anything?a=1&connection=close', '/anything/%22?b'];
  const texts = await echoes(client, 1, [path, path, path, other, path, path]);
  const seen = texts.map(echoOf);
  expect(seen.map(({ conn }) => [conn.request, conn.stream])).toEqual(
    Array.from({ length: 6 }, (_, at) => [at + 1, 2 * at + 1]),
  );
  expect(seen.map(({ url }) => url)).toEqual(
    [path, path, path, other, path, path].map((it) => `http://x${it}`),
  );
  const [first = '', ...more] = texts.filter((_, at) => at !== 3);
  for (const text of more) {
    expect(shared(text)).toEqual(shared(first));
    expect(Object.keys(echoOf(text))).toEqual(Object.keys(echoOf(first)));
  }
  expect(seen[5]).toMatchObject({
    raw_headers: expect.arrayContaining(FIELDS) as unknown,
    digest: [{ field: 'content-digest', match: false }],
    trace: { valid: true },
  });
});

test('the same section on another connection has the echo of that connection', async () => {
  const { port } = await startService('--h2-engine=wirebin', '--proxy-protocol=require');
  for (const origin of ['192.0.2.1', '192.0.2.2']) {
    const header = Buffer.from(`PROXY TCP4 ${origin} 198.51.100.2 1111 443\r\n`);
    const client = await open(port, Buffer.concat([header, h2.OPENING]));
    const texts = await echoes(client, 1, ['/anything', '/anything', '/anything']);
    expect(texts.map((text) => echoOf(text).origin)).toEqual([origin, origin, origin]);
  }
});

test('content that follows a repeated section is in the echo', async () => {
  const { port } = await startService('--h2-engine=wirebin');
  const client = await open(port);
  const bodies = ['a', 'b', '', 'c'];
  client.send(...bodies.flatMap((body, at) => post(2 * at + 1, body)));
  await until(() => bodies.every((_, at) => client.isDone(2 * at + 1)));
  const texts = bodies.map((_, at) => client.content(2 * at + 1));
  expect(texts.map((text) => echoOf(text).body)).toEqual(bodies);
});
