import { describe, expect, test } from 'vitest';
import { data, LIMITS, pair, Side, textOf } from './_side.ts';

const order = (side: Side, room: number): string =>
  side
    .takeAll(room)
    .map((frame) => ('stream' in frame ? frame.stream / 4 : frame.kind))
    .join('');

describe('the sender of data', () => {
  test('keeps to the limit of a stream, and says once that it is too low', () => {
    const [client] = pair(LIMITS, { ...LIMITS, initialMaxStreamDataBidiRemote: 5 });
    client.write(client.open(), 'abcdefgh');
    const frames = client.takeAll();
    expect(frames.map(textOf)).toEqual(['stream 0 0:abcde', 'stream-data-blocked 0 5']);
    expect(client.streams.hasFrames).toBe(false);
    client.write(client.open(), 'abcde', true);
    expect(client.takeAll().map(textOf)).toEqual(['stream 4 0:abcde.']);
    for (const frame of frames) client.streams.lose(frame);
    expect(client.takeAll().map(textOf)).toEqual(['stream-data-blocked 0 5', 'stream 0 0:abcde']);
    client.receive([{ kind: 'max-stream-data', stream: 0, maximum: 4 }]);
    expect(client.takeAll()).toEqual([]);
    client.receive([{ kind: 'max-stream-data', stream: 0, maximum: 100 }]);
    expect(client.takeAll().map(textOf)).toEqual(['stream 0 5:fgh']);
  });

  test('keeps to the limit of the connection, which what is sent again does not use', () => {
    const [client] = pair(LIMITS, { ...LIMITS, initialMaxData: 6 });
    const [one, other, empty] = [client.open(), client.open(), client.open()];
    client.write(one, 'abcd');
    client.write(other, 'efgh', true);
    const frames = client.takeAll();
    expect(frames.map(textOf)).toEqual(['stream 0 0:abcd', 'stream 4 0:ef', 'data-blocked 6']);
    client.write(empty, '', true);
    for (const frame of frames) client.streams.lose(frame);
    expect(client.streams.hasFrames).toBe(true);
    expect(client.takeAll().map(textOf)).toEqual([
      'data-blocked 6',
      'stream 8 0:.',
      'stream 0 0:abcd',
      'stream 4 0:ef',
    ]);
    expect(client.streams.hasFrames).toBe(false);
    client.receive([{ kind: 'max-data', maximum: 100 }]);
    expect(client.takeAll().map(textOf)).toEqual(['stream 4 2:gh.']);
  });

  test('is told when all was sent, and may write more at once', () => {
    const [client] = pair();
    let count = 0;
    client.onSent = (stream) => {
      if (++count < 3) client.write(stream, `piece ${count}`);
      else client.write(stream, 'end', true);
    };
    client.write(client.open(), 'begin');
    expect(client.takeAll().map(textOf)).toEqual([
      'stream 0 0:begin',
      'stream 0 5:piece 1',
      'stream 0 12:piece 2',
      'stream 0 19:end.',
    ]);
    expect(count).toBe(3);
  });

  test('sends nothing where there is no room', () => {
    const [client] = pair();
    client.write(client.open(), 'abc');
    expect(client.streams.take(3)).toBeUndefined();
    expect(client.takeAll(4).map(textOf)).toEqual(['stream 0 0:a']);
    // An offset above 0 takes a byte more.
    expect(client.takeAll(5).map(textOf)).toEqual(['stream 0 1:b', 'stream 0 2:c']);
    client.streams.reset(client.open(), 1);
    expect(client.streams.take(24)).toBeUndefined();
    expect(client.streams.take(25)?.kind).toBe('reset-stream');
  });
});

describe('the turn of streams', () => {
  test('goes round', () => {
    const [client] = pair();
    for (let at = 0; at < 3; at++) client.write(client.open(), 'x'.repeat(20 + 10 * at));
    expect(order(client, 14)).toBe('012012122');
  });

  test('is that of the most urgent ones first (RFC 9218 10)', () => {
    const [client] = pair();
    const streams = Array.from({ length: 4 }, () => client.open());
    for (const stream of streams) client.write(stream, 'x'.repeat(20));
    for (const [at, urgency] of [3, 7, 0, 3].entries()) {
      const stream = streams[at];
      if (stream) client.streams.prioritize(stream, urgency);
    }
    expect(order(client, 14)).toBe('22030311');
  });

  test('comes first for what was lost', () => {
    const [client] = pair();
    const streams = [client.open(), client.open()];
    for (const stream of streams) client.write(stream, 'x'.repeat(20));
    const frame = client.streams.take(14);
    if (frame) client.streams.lose(frame);
    expect(order(client, 14)).toBe('0101');
  });
});

describe('the number of streams', () => {
  test('is said to be too low when another one is asked for, and what may be opened is told', () => {
    const [client] = pair(LIMITS, { ...LIMITS, initialMaxStreamsBidi: 1 });
    client.open();
    expect(client.takeAll()).toEqual([]);
    expect(client.streams.open('bidi')).toBeUndefined();
    const frames = client.takeAll();
    expect(frames.map(textOf)).toEqual(['streams-blocked bidi 1']);
    for (const frame of frames) client.streams.lose(frame);
    expect(client.takeAll()).toEqual(frames);
    client.receive([{ kind: 'max-streams', direction: 'bidi', maximum: 1 }]);
    expect(client.events).toEqual([]);
    client.receive([{ kind: 'max-streams', direction: 'bidi', maximum: 2 }]);
    expect(client.events).toEqual(['limit bidi']);
    expect(client.open().id).toBe(4);
  });

  test('refills as streams close, also after a loss', () => {
    const server = new Side('server', { ...LIMITS, initialMaxStreamsUni: 4 });
    server.receive([data(2, 0, 'a', true)]);
    expect(server.takeAll()).toEqual([]);
    server.receive([data(6, 0, 'a', true)]);
    const frames = server.takeAll();
    expect(frames.map(textOf)).toEqual(['max-streams uni 6']);
    for (const frame of frames) server.streams.lose(frame);
    expect(server.takeAll()).toEqual(frames);
    server.receive([data(22, 0, 'a', true)]);
    expect(server.streams.receive(data(26, 0, 'a'))?.code).toBe('STREAM_LIMIT_ERROR');
  });
});
