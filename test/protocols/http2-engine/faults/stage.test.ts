import { expect, onTestFinished, test } from 'vitest';
import { HpackDecoder } from '../../../../src/wire/http2/hpack-decoder.ts';
import { until } from '../../../_adapters.ts';
import * as h2 from '../../../_frames.ts';
import { openSocket } from '../../../_raw.ts';
import { sharedService } from '../../../_shared.ts';
import { fieldsOf } from '../../http2/faults/_observed.ts';

const running = sharedService('--h2-engine=wirebin', '--allow-raw');

async function open(opening?: Buffer): Promise<h2.FrameClient> {
  const socket = await openSocket(running().port);
  onTestFinished(() => void socket.destroy());
  return new h2.FrameClient(socket, opening);
}

test('slow-head: content of any length follows, and so do the frames of others', async () => {
  const client = await open();
  client.send(h2.get(1, '/fault/slow-head?rate=500&length=20000'), h2.get(3, '/delay/0.02'));
  await until(() => client.isDone(1) && client.isDone(3));
  expect(client.content(1)).toHaveLength(20_000);
  // The dynamic table of the client is the one of the server again.
  client.send(h2.get(5, '/healthz'));
  await until(() => client.isDone(5));
  expect(fieldsOf(client, 5)[0]?.[0]).toEqual([':status', '200']);
});

test('slow-head: on several streams, one after the other', async () => {
  const client = await open();
  const streams = [1, 3, 5];
  client.send(...streams.map((stream) => h2.get(stream, '/fault/slow-head?rate=1000')));
  await until(() => streams.every((stream) => client.isDone(stream)));
  expect(client.got(h2.HEADERS)).toHaveLength(3);
});

test('slow-head: responses that are made meanwhile can be decoded', async () => {
  const client = await open();
  // From the second time on, fields of the response are in the dynamic table.
  client.send(h2.get(1, '/healthz'), h2.get(3, '/fault/slow-head?rate=300&length=1'));
  await until(() => client.got(h2.HEADERS, 1).length > 0);
  for (const id of [5, 7, 9]) client.send(h2.get(id, '/healthz'));
  await until(() => [3, 5, 7, 9].every((id) => client.isDone(id)));
  const decoder = new HpackDecoder({ maxListSize: 65_536 });
  const errors = client.got(h2.HEADERS).map(({ payload }) => decoder.decode(payload).error);
  expect(errors).toEqual(errors.map(() => undefined));
});

test('slow-head: a client that resets its stream within the frame gets the rest of it at once', async () => {
  const client = await open();
  client.send(h2.get(1, '/delay/0.3'), h2.get(3, '/fault/slow-head?rate=20'));
  await new Promise((resolve) => client.socket.once('data', resolve));
  client.send(h2.frame(h2.RST_STREAM, 0, 3, h2.uint32(8)), h2.get(5, '/healthz'));
  await until(() => client.isDone(1) && client.isDone(5));
  expect(client.ended).toBe(false);
});

test('goaway: streams above the last one get nothing more, and count as refused', async () => {
  const client = await open();
  client.send(
    h2.get(1, '/delay/0.2'),
    h2.get(3, '/fault/goaway?last=this'),
    h2.get(5, '/delay/0.3', ['x-wirebin-journal', 'above']),
  );
  await until(() => client.ended);
  expect([1, 3, 5].map((id) => client.isDone(id))).toEqual([true, true, false]);
  const journal = await (await fetch(`http://127.0.0.1:${running().port}/journal/above`)).json();
  expect(journal).toMatchObject({ entries: [{ cause: { error_code: 'REFUSED_STREAM' } }] });
});

test('a response to HEAD ends with its HEADERS, and what concerns the connection follows', async () => {
  const client = await open();
  const faults = ['stall?for=0.1', 'content-length', 'head?how=late-pseudo', 'rst-stream'];
  const ids = faults.map((_, at) => 2 * at + 1);
  client.send(...faults.map((fault, at) => h2.request(2 * at + 1, 'HEAD', `/fault/${fault}`)));
  await until(() => ids.every((id) => client.isDone(id)));
  client.send(h2.request(21, 'HEAD', '/fault/goaway?last=this'));
  await until(() => client.ended);
  expect(client.goaway()).toBe(0);
  expect(client.isDone(21)).toBe(true);
  expect([client.got(h2.DATA), client.got(h2.RST_STREAM)]).toEqual([[], []]);
});

test('head?how=uppercase: with content, and the connection goes on', async () => {
  const client = await open();
  client.send(h2.get(1, '/fault/head?how=uppercase&length=3'));
  await until(() => client.isDone(1));
  expect(fieldsOf(client)[0]?.map(([name]) => name)).toContain('Content-Type');
  expect(client.content(1)).toBe('abc');
  client.send(h2.get(3, '/healthz'));
  await until(() => client.isDone(3));
});

test('/frames: the frames, and the other streams and the connection go on', async () => {
  const client = await open();
  // HEADERS with a literal that the client is to add to its table.
  const block = Buffer.concat([
    Buffer.from([0x88, 0x40, 3]),
    Buffer.from('x-a'),
    Buffer.from([1, 0x62]),
  ]);
  const frame = h2.frame(h2.HEADERS, h2.END_HEADERS | h2.END_STREAM, 3, block);
  client.send(h2.get(1, '/delay/0.05'), h2.get(3, `/frames?base64=${frame.toString('base64url')}`));
  await until(() => client.isDone(3) && client.isDone(1));
  expect(fieldsOf(client, 3)).toEqual([
    [
      [':status', '200'],
      ['x-a', 'b'],
    ],
  ]);
  client.send(h2.get(5, '/healthz'));
  await until(() => client.isDone(5));
  expect(fieldsOf(client, 5)[0]?.[0]).toEqual([':status', '200']);
});

test('/frames: the connection closes if the bytes end within a frame', async () => {
  const client = await open();
  client.send(h2.get(1, `/frames?base64=${Buffer.alloc(10).toString('base64url')}`));
  await until(() => client.ended);
  expect(client.frames.at(-1)).toMatchObject({ type: h2.DATA, stream: 0 });
});

test('goaway?last=zero: further requests are ignored, and no later GOAWAY names one', async () => {
  const client = await open();
  client.send(h2.get(1, '/fault/goaway?at=start&last=zero&then=finish'));
  await until(() => client.goaway() !== undefined);
  client.send(
    h2.get(3, '/healthz'),
    ...Array.from({ length: 1100 }, () => h2.frame(h2.PING, 0, 0, Buffer.alloc(8))),
  );
  await until(() => client.ended);
  expect(client.got(h2.HEADERS)).toEqual([]);
  expect(client.got(h2.GOAWAY).map(({ payload }) => payload.readUInt32BE())).toEqual([0, 0]);
});
