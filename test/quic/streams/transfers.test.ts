import { describe, expect, test } from 'vitest';
import type { AnyStreamFrame } from '../../../src/quic/streams/stream-frames.ts';
import type { InitialLimits } from '../../../src/quic/streams/stream-table.ts';
import { bytesInUse } from '../../_garbage.ts';
import { patternOf, randomIntegers } from '../_random.ts';
import { LIMITS, Side } from './_side.ts';

/** Contents of all streams begin at different offsets of it. */
const PATTERN = patternOf(40_000);

/** Frames on their way from one side to the other, in packets that are lost, reordered and duplicated. */
class Path {
  readonly #from: Side;
  readonly #to: Side;
  readonly #random: (limit: number) => number;
  /** Percent of the packets that are lost. */
  readonly #loss: number;
  readonly #flying: AnyStreamFrame[][] = [];

  constructor(from: Side, to: Side, random: (limit: number) => number, loss: number) {
    this.#from = from;
    this.#to = to;
    this.#random = random;
    this.#loss = loss;
  }

  get isEmpty(): boolean {
    return this.#flying.length === 0 && !this.#from.streams.hasFrames;
  }

  send(): void {
    const packet: AnyStreamFrame[] = [];
    for (let room = 200 + this.#random(1000); room > 0;) {
      const frame = this.#from.streams.take(room);
      if (!frame) break;
      packet.push(frame);
      room -= frame.kind === 'stream' ? frame.data.length + 10 : 25;
    }
    if (packet.length > 0) this.#flying.push(packet);
  }

  /** One of the packets arrives or is lost. */
  deliver(): void {
    const at = this.#random(Math.min(this.#flying.length, 4));
    const packet = this.#flying[at];
    if (!packet) return;
    const isLost = this.#random(100) < this.#loss;
    if (!isLost) this.#to.receive(packet);
    if (!isLost && this.#random(20) === 0) return;
    this.#flying.splice(at, 1);
    // An acknowledgement may be lost as well.
    const seemsLost = isLost || this.#random(100) < this.#loss;
    for (const frame of packet) {
      if (seemsLost) this.#from.streams.lose(frame);
      else this.#from.streams.acknowledge(frame);
    }
  }
}

/** Sends 40 requests with responses, and 20 unidirectional streams each way. @returns both sides */
function transfer(seed: number, limits: InitialLimits): readonly [Side, Side] {
  const random = randomIntegers(seed);
  const client = new Side('client', limits, limits);
  const server = new Side('server', limits, limits);
  const loss = [0, 1, 10, 30][seed % 4] ?? 0;
  const paths = [new Path(client, server, random, loss), new Path(server, client, random, loss)];
  const left = { bidi: 40, uni: 20, push: 20 };
  const open = (side: Side, kind: keyof typeof left): void => {
    const stream = left[kind] > 0 ? side.streams.open(kind === 'bidi' ? 'bidi' : 'uni') : undefined;
    if (!stream) return;
    left[kind]--;
    if (random(4) === 0) side.streams.prioritize(stream, random(8));
    side.write(stream, contentOf(stream.id), true);
  };
  const answered = new Set<number>();
  for (let step = 0; step < 100_000; step++) {
    if (random(3) === 0) open(client, 'bidi');
    if (random(5) === 0) open(client, 'uni');
    if (random(5) === 0) open(server, 'push');
    for (const path of paths) {
      path.send();
      path.deliver();
    }
    for (const id of server.ended) {
      const stream = answered.has(id) ? undefined : server.streams.get(id);
      answered.add(id);
      if (!stream?.sending) continue;
      server.write(stream, contentOf(id).subarray(0, 100));
      server.write(stream, contentOf(id).subarray(100), true);
    }
    if (left.bidi + left.uni + left.push === 0 && paths.every((path) => path.isEmpty)) break;
  }
  return [client, server];
}

const contentOf = (id: number): Buffer => PATTERN.subarray(id, id + ((id * 977) % 7000));

test('streams both ways arrive as they were, however packets are lost, reordered and duplicated', () => {
  for (let seed = 0; seed < 40; seed++) {
    const limits =
      seed % 3 === 0
        ? { ...LIMITS, initialMaxData: 1500, initialMaxStreamsBidi: 2, initialMaxStreamsUni: 1 }
        : LIMITS;
    const [client, server] = transfer(seed, limits);
    const wrong = [client, server].flatMap((side) =>
      [...side.received.keys()].filter((id) => !side.contentOf(id).equals(contentOf(id))),
    );
    expect(wrong).toEqual([]);
    expect([client.ended.length, server.ended.length]).toEqual([60, 60]);
    expect([client.streams.size, server.streams.size]).toEqual([0, 0]);
  }
});

/** Frames of any kind for any stream, with values that may be far above limits. */
function randomFrame(random: (limit: number) => number): AnyStreamFrame {
  const stream = random(30) === 0 ? Number.MAX_SAFE_INTEGER - random(4) : random(44);
  const value = random(20) === 0 ? Number.MAX_SAFE_INTEGER : random(6000);
  const direction = random(2) ? 'bidi' : 'uni';
  const kinds: readonly AnyStreamFrame[] = [
    {
      kind: 'stream',
      stream,
      offset: value,
      data: PATTERN.subarray(0, random(300)),
      isLast: !random(8),
    },
    { kind: 'reset-stream', stream, code: 2n ** 62n - 1n, finalSize: value },
    { kind: 'stop-sending', stream, code: 0 },
    { kind: 'max-data', maximum: value },
    { kind: 'max-stream-data', stream, maximum: value },
    { kind: 'max-streams', direction, maximum: value },
    { kind: 'data-blocked', maximum: value },
    { kind: 'stream-data-blocked', stream, maximum: value },
    { kind: 'streams-blocked', direction, maximum: value },
  ];
  // Half of them have data.
  return kinds[random(18) % 9 && random(2) ? random(9) : 0] ?? { kind: 'max-data', maximum: 0 };
}

describe('hostile frames', () => {
  test('are processed or end the connection, and none is an exception', () => {
    const codes = new Map<string, number>();
    for (let seed = 0; seed < 3000; seed++) {
      const random = randomIntegers(seed);
      const server = new Side('server');
      if (random(2)) server.write(server.open(), 'x'.repeat(5000));
      for (let step = 0; step < 60; step++) {
        const wrong = server.streams.receive(randomFrame(random));
        if (wrong) {
          codes.set(wrong.code, (codes.get(wrong.code) ?? 0) + 1);
          break;
        }
        const frame = random(3) === 0 ? server.streams.take(random(1200)) : undefined;
        if (frame && random(2)) server.streams.lose(frame);
        else if (frame) server.streams.acknowledge(frame);
      }
    }
    expect([...codes.keys()].toSorted()).toEqual([
      'FINAL_SIZE_ERROR',
      'FLOW_CONTROL_ERROR',
      'STREAM_LIMIT_ERROR',
      'STREAM_STATE_ERROR',
    ]);
  });

  test('open streams that take little memory, and none for those that are not used', () => {
    const limits = { ...LIMITS, initialMaxStreamsUni: 100_000 };
    const highest = [{ kind: 'stream-data-blocked', stream: 399_998, maximum: 0 }] as const;
    // Code that is not compiled yet takes memory, too.
    new Side('server', limits).receive(highest);
    const server = new Side('server', limits);
    const before = bytesInUse();
    server.receive(highest);
    expect(bytesInUse() - before).toBeLessThan(100_000);
    for (let index = 0; index < 1000; index++) {
      server.receive([{ kind: 'stream-data-blocked', stream: 4 * index + 2, maximum: 0 }]);
    }
    expect(bytesInUse() - before).toBeLessThan(2_000_000);
  });

  test('leave nothing behind when streams open and close for long', () => {
    const server = new Side('server');
    const run = (from: number, to: number): void => {
      for (let index = from; index < to; index++) {
        const stream = 4 * index + 2;
        const content = PATTERN.subarray(0, 20);
        server.receive([{ kind: 'stream', stream, offset: 0, data: content, isLast: true }]);
        for (const frame of server.takeAll()) server.streams.acknowledge(frame);
      }
      server.received.clear();
      server.ended.length = 0;
      server.events.length = 0;
    };
    run(0, 1000);
    const before = bytesInUse();
    run(1000, 20_000);
    expect(bytesInUse() - before).toBeLessThan(500_000);
    expect(server.streams.size).toBe(0);
  });
});
