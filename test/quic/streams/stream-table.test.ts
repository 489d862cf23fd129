import { describe, expect, test } from 'vitest';
import { QuicStream } from '../../../src/quic/streams/stream.ts';
import { StreamTable, type InitialLimits } from '../../../src/quic/streams/stream-table.ts';

const LIMITS: InitialLimits = {
  initialMaxData: 1000,
  initialMaxStreamDataBidiLocal: 1,
  initialMaxStreamDataBidiRemote: 2,
  initialMaxStreamDataUni: 3,
  initialMaxStreamsBidi: 4,
  initialMaxStreamsUni: 2,
};

function server(): StreamTable {
  const table = new StreamTable('server', LIMITS);
  table.usePeerLimits({
    ...LIMITS,
    initialMaxStreamDataBidiLocal: 10,
    initialMaxStreamDataBidiRemote: 20,
    initialMaxStreamDataUni: 30,
  });
  return table;
}

const find = (table: StreamTable, id: number, part: 'sending' | 'receiving' = 'receiving') =>
  table.find(id, part, 'RFC 9000 19');

const limitsOf = (stream: unknown): unknown =>
  stream instanceof QuicStream && [stream.sending?.limit.limit, stream.receiving?.limit.limit];

describe('ids (RFC 9000 2.1)', () => {
  test.each([
    ['client', 'bidi', [0, 4, 8]],
    ['server', 'bidi', [1, 5, 9]],
    ['client', 'uni', [2, 6]],
    ['server', 'uni', [3, 7]],
  ] as const)('a %s opens %s streams in order', (role, direction, ids) => {
    const table = new StreamTable(role, LIMITS);
    table.usePeerLimits(LIMITS);
    expect(ids.map(() => table.open(direction)?.id)).toEqual(ids);
  });

  test('parts and limits are those of the type, and of who opens it', () => {
    const table = server();
    expect(limitsOf(table.open('bidi'))).toEqual([20, 1]);
    expect(limitsOf(table.open('uni'))).toEqual([30, undefined]);
    expect(limitsOf(find(table, 0))).toEqual([10, 2]);
    expect(limitsOf(find(table, 2))).toEqual([undefined, 3]);
  });
});

describe('the number of streams (RFC 9000 4.6)', () => {
  test('is limited by the peer, and none can be opened before its limits are known', () => {
    const table = new StreamTable('client', LIMITS);
    expect(table.open('bidi')).toBeUndefined();
    table.usePeerLimits(LIMITS);
    for (let at = 0; at < 4; at++) expect(table.open('bidi')?.id).toBe(4 * at);
    expect(table.open('bidi')).toBeUndefined();
    expect(table.counts.bidi.isWanted).toBe(true);
    table.counts.bidi.peer.raise(5);
    expect(table.open('bidi')?.id).toBe(16);
    expect(table.counts.bidi.isWanted).toBe(false);
  });

  test('of the peer above the limit is STREAM_LIMIT_ERROR', () => {
    expect(find(server(), 12)).toBeInstanceOf(QuicStream);
    for (const id of [16, 10, Number.MAX_SAFE_INTEGER - 1]) {
      expect(find(server(), id)).toMatchObject({
        code: 'STREAM_LIMIT_ERROR',
        section: 'RFC 9000 4.6',
      });
    }
  });

  test('rises when half of them were closed', () => {
    const table = server();
    const streams = [0, 4, 8, 12].map((id) => find(table, id));
    const { own } = table.counts.bidi;
    for (const [at, stream] of streams.slice(0, 2).entries()) {
      expect(own.isDue).toBe(false);
      if (stream instanceof QuicStream) expect(table.remove(stream)).toBe(true);
      expect(own.isDue).toBe(at === 1);
      if (stream instanceof QuicStream) expect(table.remove(stream)).toBe(false);
    }
    expect(own.announce()).toBe(6);
    expect(find(table, 20)).toBeInstanceOf(QuicStream);
    expect(find(table, 24)).toMatchObject({ code: 'STREAM_LIMIT_ERROR' });
  });

  test('is not consumed by streams opened here', () => {
    const table = server();
    for (let at = 0; at < 4; at++) {
      const stream = table.open('bidi');
      if (stream) table.remove(stream);
    }
    expect(table.counts.bidi.own.isDue).toBe(false);
  });
});

describe('streams of the peer', () => {
  test('with a lower id are open too, and take no memory before they are used (RFC 9000 3.2)', () => {
    const table = server();
    expect(find(table, 12)).toBeInstanceOf(QuicStream);
    expect(table.size).toBe(1);
    expect(find(table, 4)).toBeInstanceOf(QuicStream);
    expect(find(table, 4)).toBe(find(table, 4));
    expect(table.size).toBe(2);
    expect(find(table, 16)).toMatchObject({ code: 'STREAM_LIMIT_ERROR' });
  });

  test('that are closed are ignored', () => {
    const table = server();
    const stream = find(table, 4);
    if (stream instanceof QuicStream) table.remove(stream);
    expect(find(table, 4)).toBeUndefined();
    expect(find(table, 4, 'sending')).toBeUndefined();
    expect(find(table, 0)).toBeInstanceOf(QuicStream);
    expect(table.size).toBe(1);
  });

  test('take no memory when they are closed, however many there were', () => {
    const table = server();
    const { own, untouched } = table.counts.bidi;
    for (let index = 0; index < 10_000; index++) {
      // One of them is never used.
      if (index === 1) continue;
      const stream = find(table, 4 * index);
      if (!(stream instanceof QuicStream)) throw new Error(`no stream ${index}`);
      table.remove(stream);
      if (own.isDue) own.announce();
    }
    expect(table.size).toBe(0);
    expect(untouched.within(0, Infinity)).toEqual([{ start: 1, end: 2 }]);
    expect(find(table, 4)).toBeInstanceOf(QuicStream);
    expect(find(table, 8)).toBeUndefined();
  });
});

describe('STREAM_STATE_ERROR is', () => {
  test.each([
    ['data on a stream that only this side sends on', 3, 'receiving'],
    ['a limit for a stream that only the peer sends on', 2, 'sending'],
    ['data on a bidirectional stream that was not opened here', 5, 'receiving'],
    ['a limit for a unidirectional stream that was not opened here', 7, 'sending'],
  ] as const)('%s', (_, id, part) => {
    const table = server();
    table.open('bidi');
    table.open('uni');
    expect(find(table, id, part)).toMatchObject({
      code: 'STREAM_STATE_ERROR',
      section: 'RFC 9000 19',
    });
  });

  test('not a frame on a stream that was opened here and is closed', () => {
    const table = server();
    const stream = table.open('bidi');
    if (stream) table.remove(stream);
    expect(find(table, 1)).toBeUndefined();
  });
});
