import { describe, expect, test } from 'vitest';
import type { AnyStreamFrame } from '../../../src/quic/streams/stream-frames.ts';
import { data, LIMITS, pair, settle, Side, textOf } from './_side.ts';

const reset = (id: number, finalSize: number, code = 7): AnyStreamFrame => ({
  kind: 'reset-stream',
  stream: id,
  code,
  finalSize,
});

describe('a request and its response', () => {
  test('arrive, and nothing stays', () => {
    const [client, server] = pair();
    const request = client.open();
    client.write(request, 'request', true);
    server.receive(client.takeAll());
    expect(server.contentOf(0).toString()).toBe('request');
    server.receive([data(0, 3, 'uest', true)]);
    expect(server.ended).toEqual([0]);
    const response = server.streams.get(0);
    if (response) server.write(response, 'response', true);
    client.receive(server.takeAll());
    expect(client.contentOf(0).toString()).toBe('response');
    // Each side waits for the acknowledgement of its own data.
    expect([client.streams.size, server.streams.size]).toEqual([1, 1]);
    client.streams.acknowledge(data(0, 0, 'request', true));
    server.streams.acknowledge(data(0, 0, 'response', true));
    expect([client.streams.size, server.streams.size]).toEqual([0, 0]);
    expect(server.events).toEqual(['stream 0', 'closed 0']);
    expect(client.events).toEqual(['closed 0']);
  });

  test('on a closed stream, late frames are ignored', () => {
    const [client, server] = pair();
    const request = client.open();
    client.write(request, 'request', true);
    settle(client, server);
    const response = server.streams.get(0);
    if (response) server.write(response, '', true);
    settle(client, server);
    expect(server.streams.size).toBe(0);
    server.receive([
      data(0, 0, 'request', true),
      reset(0, 7),
      { kind: 'stop-sending', stream: 0, code: 1 },
      { kind: 'max-stream-data', stream: 0, maximum: 10_000 },
      { kind: 'stream-data-blocked', stream: 0, maximum: 10_000 },
    ]);
    server.streams.acknowledge(data(0, 0, '', true));
    server.streams.lose(data(0, 0, '', true));
    expect(server.takeAll()).toEqual([]);
    expect(server.streams.size).toBe(0);
  });

  test('nothing follows the end', () => {
    const [client] = pair();
    const request = client.open();
    expect(client.write(request, 'all', true)).toBe(true);
    expect(client.write(request, 'more')).toBe(false);
    expect(client.takeAll().map(textOf)).toEqual(['stream 0 0:all.']);
  });
});

describe('RESET_STREAM (RFC 9000 19.4)', () => {
  test('ends a sending part, with the bytes that were sent as its size', () => {
    const [client, server] = pair();
    const stream = client.open('uni');
    client.write(stream, 'sent');
    const sent = client.takeAll();
    client.write(stream, 'waiting');
    client.streams.reset(stream, 9);
    client.streams.reset(stream, 10);
    expect(client.write(stream, 'more')).toBe(false);
    const frames = client.takeAll();
    expect(frames.map(textOf)).toEqual(['reset-stream 2 9 at 4']);
    // What was lost before is not sent again, but the reset is (RFC 9000 13.3).
    for (const frame of [...sent, ...frames]) client.streams.lose(frame);
    const again = client.takeAll();
    expect(again.map(textOf)).toEqual(['reset-stream 2 9 at 4']);
    server.receive(again);
    expect(server.events).toEqual(['stream 2', 'reset 2 9', 'closed 2']);
    expect(client.streams.size).toBe(1);
    for (const frame of again) client.streams.acknowledge(frame);
    expect(client.events).toEqual(['closed 2']);
  });

  test('is all that follows, also if the end waited or was lost', () => {
    const [client] = pair();
    const streams = [client.open(), client.open()];
    for (const stream of streams) client.write(stream, 'abc', true);
    const lost = client.streams.take(14);
    for (const stream of streams) client.streams.reset(stream, 9);
    if (lost) client.streams.lose(lost);
    const frames = client.takeAll();
    expect(frames.map(textOf)).toEqual(['reset-stream 0 9 at 3', 'reset-stream 4 9 at 0']);
    if (lost) client.streams.acknowledge(lost);
    for (const frame of frames) client.streams.acknowledge(frame);
    for (const frame of frames) client.streams.lose(frame);
    expect(client.takeAll()).toEqual([]);
  });

  test('drops what was not read', () => {
    const server = new Side('server');
    server.held.add(2);
    server.receive([data(2, 0, 'abc'), reset(2, 8)]);
    expect(server.events).toEqual(['stream 2', 'reset 2 7', 'closed 2']);
  });

  test('changes nothing if all data is there (RFC 9000 3.2)', () => {
    const server = new Side('server');
    server.held.add(2);
    server.receive([data(2, 0, 'abc', true), reset(2, 3)]);
    expect(server.events).toEqual(['stream 2']);
    const stream = server.streams.get(2);
    server.held.clear();
    if (stream) server.read(stream);
    expect(server.contentOf(2).toString()).toBe('abc');
    expect(server.events).toEqual(['stream 2', 'closed 2']);
  });

  test('with another size than was known is FINAL_SIZE_ERROR (RFC 9000 4.5)', () => {
    const server = new Side('server');
    server.receive([data(0, 0, 'abc')]);
    expect(server.streams.receive(reset(0, 2))?.code).toBe('FINAL_SIZE_ERROR');
    server.receive([reset(0, 5)]);
    expect(server.streams.receive(reset(0, 6))?.code).toBe('FINAL_SIZE_ERROR');
    expect(server.streams.receive(data(0, 5, 'f'))?.code).toBe('FINAL_SIZE_ERROR');
    server.receive([reset(0, 5), data(0, 3, 'de', true)]);
    expect(server.events).toEqual(['stream 0', 'reset 0 7']);
  });
});

describe('STOP_SENDING (RFC 9000 3.5)', () => {
  test('is answered by RESET_STREAM with the same code', () => {
    const [client, server] = pair();
    const stream = client.open('uni');
    client.write(stream, 'abc');
    settle(client, server);
    const stopped = server.streams.get(2);
    if (stopped) server.streams.stop(stopped, 5);
    client.write(stream, 'def');
    settle(client, server);
    expect(client.events).toEqual(['stop 2 5', 'closed 2']);
    expect(server.events).toEqual(['stream 2', 'reset 2 5', 'closed 2']);
    expect(client.write(stream, 'more')).toBe(false);
  });

  test('is sent again after a loss, unless the size is known', () => {
    const server = new Side('server');
    server.receive([data(0, 0, 'abc')]);
    const stream = server.streams.get(0);
    if (stream) server.streams.stop(stream, 5);
    const [stop] = server.takeAll();
    expect(stop).toEqual({ kind: 'stop-sending', stream: 0, code: 5 });
    if (stop) server.streams.lose(stop);
    expect(server.takeAll()).toEqual([stop]);
    server.receive([data(0, 3000, 'end', true)]);
    if (stop) server.streams.lose(stop);
    expect(server.takeAll()).toEqual([]);
    expect(stream?.receiving?.isClosed).toBe(true);
    expect(server.ended).toEqual([]);
  });

  test('is not sent for what is complete', () => {
    const server = new Side('server');
    server.held.add(0);
    server.receive([data(0, 0, 'abc', true)]);
    const stream = server.streams.get(0);
    if (stream) server.streams.stop(stream, 5);
    expect(server.takeAll()).toEqual([]);
    expect(stream?.receiving?.state).toBe('data-read');
  });

  test('opens a stream of the peer, as MAX_STREAM_DATA does (RFC 9000 3.2)', () => {
    const server = new Side('server');
    server.receive([
      { kind: 'stop-sending', stream: 0, code: 5 },
      { kind: 'stop-sending', stream: 0, code: 6 },
      { kind: 'max-stream-data', stream: 8, maximum: 5000 },
      { kind: 'stream-data-blocked', stream: 2, maximum: 0 },
    ]);
    expect(server.events).toEqual(['stream 0', 'stop 0 5', 'stream 8', 'stream 2']);
    expect(server.takeAll().map(textOf)).toEqual(['reset-stream 0 5 at 0']);
  });
});

test.each<[string, AnyStreamFrame, string]>([
  ['STREAM', data(3, 0, 'a'), 'RFC 9000 19.8'],
  ['RESET_STREAM', reset(3, 0), 'RFC 9000 19.4'],
  ['STOP_SENDING', { kind: 'stop-sending', stream: 2, code: 0 }, 'RFC 9000 19.5'],
  ['MAX_STREAM_DATA', { kind: 'max-stream-data', stream: 2, maximum: 9 }, 'RFC 9000 19.10'],
  ['STREAM_DATA_BLOCKED', { kind: 'stream-data-blocked', stream: 3, maximum: 9 }, 'RFC 9000 19.13'],
])('%s on a part that a stream does not have is STREAM_STATE_ERROR', (_, frame, section) => {
  const server = new Side('server');
  server.open('uni');
  server.receive([data(2, 0, 'a')]);
  expect(server.streams.receive(frame)).toMatchObject({ code: 'STREAM_STATE_ERROR', section });
});

describe('the receiver of data', () => {
  test('gives credit when half of a window was read', () => {
    const server = new Side('server', { ...LIMITS, initialMaxData: 5000 });
    const half = 'x'.repeat(1999);
    server.receive([data(0, 0, half)]);
    expect(server.takeAll()).toEqual([]);
    server.receive([data(0, 1999, 'x')]);
    expect(server.takeAll().map(textOf)).toEqual(['max-stream-data 0 6000']);
    server.receive([data(2, 0, 'x'.repeat(500))]);
    expect(server.takeAll().map(textOf)).toEqual(['max-data 7500']);
  });

  test('gives none before it was read, and none of the stream after the final size', () => {
    const server = new Side('server');
    server.held.add(0);
    server.receive([data(0, 0, 'x'.repeat(4000))]);
    expect(server.takeAll()).toEqual([]);
    server.receive([data(0, 4000, '', true)]);
    const stream = server.streams.get(0);
    server.held.clear();
    if (stream) server.read(stream);
    expect(server.takeAll()).toEqual([]);
  });

  test('gives credit again after a loss, unless more was given since', () => {
    const server = new Side('server');
    server.receive([data(0, 0, 'x'.repeat(2000))]);
    const [first] = server.takeAll();
    if (first) server.streams.lose(first);
    const again = server.takeAll();
    expect(again.map(textOf)).toEqual(['max-stream-data 0 6000']);
    server.receive([data(0, 2000, 'x'.repeat(2000))]);
    expect(server.takeAll().map(textOf)).toEqual(['max-stream-data 0 8000']);
    for (const frame of again) server.streams.lose(frame);
    expect(server.takeAll()).toEqual([]);
  });

  test('ends the connection with FLOW_CONTROL_ERROR if a limit is exceeded (RFC 9000 4.1)', () => {
    const error = { code: 'FLOW_CONTROL_ERROR', section: 'RFC 9000 4.1' };
    const server = new Side('server');
    expect(server.streams.receive(data(0, 3999, 'xx'))).toMatchObject(error);
    const far = data(4, Number.MAX_SAFE_INTEGER, 'x');
    expect(server.streams.receive(far)).toMatchObject(error);
    expect(server.streams.receive(reset(8, 4001))).toMatchObject(error);
    const other = new Side('server');
    // Gaps count too.
    other.receive([data(0, 3999, 'x'), data(2, 3999, 'x'), reset(4, 2000)]);
    expect(other.streams.receive(data(8, 0, 'x'))).toMatchObject(error);
  });

  test('gives back the credit of the connection for what is dropped by a reset or a stop', () => {
    const server = new Side('server');
    for (const id of [0, 2]) server.held.add(id);
    server.receive([data(0, 2999, 'x'), data(2, 100, 'x')]);
    server.receive([reset(0, 3500)]);
    expect(server.takeAll()).toEqual([]);
    const stream = server.streams.get(2);
    if (stream) server.streams.stop(stream, 1);
    // No credit is needed for the stream any more.
    server.receive([data(2, 3499, 'x')]);
    expect(server.takeAll().map(textOf)).toEqual(['stop-sending 2 1', 'max-data 17000']);
  });
});
