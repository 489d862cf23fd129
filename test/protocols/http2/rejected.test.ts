import { describe, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import { eventsOf } from '../../_events.ts';
import { differs } from '../../_engine.ts';
import * as h2 from '../../_frames.ts';
import { converse, GET, openSocket } from '../../_raw.ts';
import { INSPECTED } from '../../_inspected.ts';
import { HTTP2, sharedService } from '../../_shared.ts';

type Line = [name: string, value: string];

const PROTOCOL_ERROR = 1;
const ACK = 1;
const BASE: readonly Line[] = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', '/healthz'],
];
const WITHOUT_AUTHORITY = BASE.filter(([name]) => name !== ':authority');

const refused: [string, readonly Line[]][] = [
  ['a wrong content-length', [...BASE, ['content-length', '5']]],
  ['no :authority', WITHOUT_AUTHORITY],
  [':path *', BASE.map(([name, value]) => [name, name === ':path' ? '*' : value])],
  [
    'a method with a space',
    BASE.map(([name, value]) => [name, name === ':method' ? 'G T' : value]),
  ],
];

const INCOMPLETE = 'refused by nghttp2, or not complete';
const SKIPPED = 'refused by nghttp2, or skipped by the client';

function headers(stream: number, lines: readonly Line[]): Buffer {
  return h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, stream, h2.fieldBlock(lines));
}

// What wirebin infers; with --inspect it sees RST_STREAM: test/inspect/tap.test.ts.
const isInferred = !INSPECTED && !differs('A stream that is refused');
describe.runIf(isInferred).each(HTTP2)('%s', (_, alpn) => {
  const running = sharedService('--tap', '--log-level=debug');

  const connect = async (...frames: Buffer[]): Promise<h2.FrameClient> => {
    const client = new h2.FrameClient(await openSocket(running().port, alpn));
    await until(() => client.got(h2.SETTINGS).length > 0);
    client.send(...frames);
    return client;
  };

  /** The rejected events, and the close events of their connections. */
  async function rejectedEvents(): Promise<Record<string, unknown>[]> {
    const socket = await openSocket(running().port);
    const fields = 'Last-Event-ID: 0\r\nConnection: close\r\n';
    const text = await converse(socket, GET('/tap?kind=rejected&duration=0', fields));
    socket.destroy();
    const events = eventsOf(text).map(({ data }) => data);
    return events.filter(({ kind }) => kind === 'rejected');
  }

  /** The next event. */
  async function next(before: number): Promise<Record<string, unknown>> {
    const end = performance.now() + 5000;
    for (;;) {
      const event = (await rejectedEvents())[before];
      if (event) return event;
      if (performance.now() > end) throw new Error('nothing was rejected');
    }
  }

  test.each(refused)('%s, and the client disconnects', async (_name, lines) => {
    const before = (await rejectedEvents()).length;
    const client = await connect(headers(1, lines));
    await until(() => client.reset(1) === PROTOCOL_ERROR);
    client.socket.end();
    const reason = `stream 1 never became a request: ${INCOMPLETE}`;
    expect(await next(before)).toMatchObject({ kind: 'rejected', stream: 1, reason });
    expect(running().logged).toContainEqual(
      expect.objectContaining({ msg: 'message rejected', detail: reason }),
    );
  });

  test('the client resets the connection or sends GOAWAY', async () => {
    for (const leave of [
      (client: h2.FrameClient) => client.socket.destroy(),
      (client: h2.FrameClient) => client.send(h2.frame(h2.GOAWAY, 0, 0, Buffer.alloc(8))),
    ]) {
      const before = (await rejectedEvents()).length;
      const client = await connect(headers(1, WITHOUT_AUTHORITY));
      await until(() => client.reset(1) === PROTOCOL_ERROR);
      leave(client);
      expect(await next(before)).toMatchObject({ stream: 1 });
      client.socket.destroy();
    }
  });

  test('and the client stays', async () => {
    const before = (await rejectedEvents()).length;
    const client = await connect(headers(1, WITHOUT_AUTHORITY));
    await until(() => client.got(h2.PING).length > 0);
    const [{ payload } = { payload: Buffer.alloc(8) }] = client.got(h2.PING);
    client.send(h2.frame(h2.PING, ACK, 0, payload));
    expect(await next(before)).toMatchObject({
      stream: 1,
      reason: 'stream 1 never became a request: refused by nghttp2',
    });
    client.send(headers(3, BASE));
    await until(() => client.isDone(3));
  });

  test('valid requests follow', async () => {
    const before = (await rejectedEvents()).length;
    const client = await connect(headers(1, WITHOUT_AUTHORITY), headers(3, BASE));
    await until(() => client.isDone(3));
    client.send(headers(5, WITHOUT_AUTHORITY), headers(7, WITHOUT_AUTHORITY), headers(9, BASE));
    await until(() => client.isDone(9));
    expect(await next(before)).toMatchObject({
      stream: 1,
      reason: `stream 1 never became a request: ${SKIPPED}`,
    });
    expect(await next(before + 1)).toMatchObject({
      stream: 5,
      reason: `streams 5 to 7 never became requests: ${SKIPPED}`,
    });
  });

  test('also for a first request, if it arrived with the preface', async () => {
    const before = (await rejectedEvents()).length;
    const opening = Buffer.concat([
      h2.PREFACE,
      h2.frame(h2.SETTINGS, 0, 0),
      headers(1, WITHOUT_AUTHORITY),
      headers(3, BASE),
    ]);
    (await openSocket(running().port, alpn)).resume().write(opening);
    expect(await next(before)).toMatchObject({
      stream: 1,
      reason: `stream 1 never became a request: ${SKIPPED}`,
    });
  });

  test('nothing is reported for valid clients', async () => {
    const before = (await rejectedEvents()).length;
    const client = await connect(headers(13, BASE), headers(15, BASE));
    await until(() => client.isDone(13) && client.isDone(15));
    client.socket.destroy();
    const idle = await connect();
    idle.socket.destroy();
    expect((await rejectedEvents()).length).toBe(before);
  });
});
