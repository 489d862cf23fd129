import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test, vi, type Mock } from 'vitest';
import { TcpConnection } from '../../src/net/tcp-connection.ts';
import { pullBytes, type TimedStream, type PullSource } from '../../src/server/payload.ts';
import { pump, type Delivery } from '../../src/server/pump.ts';
import { until } from '../_adapters.ts';
import { CountingSource } from './_counted.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const WINDOW = { own: 64 * KiB, shared: 128 * KiB };

/** A sink that accepts one piece per call of `take`. */
class Slow extends Writable {
  received = 0;
  #taken: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 16 * KiB });
  }

  take(): void {
    this.#taken?.();
  }

  override _write({ length }: Buffer, _encoding: string, taken: () => void): void {
    this.received += length;
    this.#taken = taken;
  }
}

/** One whose client never disconnects. */
const never = (): Delivery & { readonly failed: Mock } => ({
  signal: new AbortController().signal,
  bytes: 0,
  failed: vi.fn(),
});

/** Bytes that a sink gets at once which then takes nothing. */
function takenOf(payload: CountingSource): number {
  pump(new Slow(), payload, WINDOW, never());
  return payload.taken;
}

describe('a pulled payload', () => {
  test('is read one piece at a time while the sink is full', async () => {
    const sink = new Slow();
    const payload = new CountingSource(256 * KiB);
    pump(sink, payload, WINDOW, never());
    // A rest of at most two windows is one piece.
    for (const received of [64, 128, 256]) {
      await until(() => sink.received === received * KiB);
      expect(payload.taken).toBe(sink.received);
      sink.take();
    }
    await until(() => sink.writableFinished);
    expect(sink.listenerCount('drain')).toBe(0);
  });

  test('`release` is called for each piece that was sent, and for none after an error', async () => {
    const sink = new Slow();
    sink.on('error', () => undefined);
    const released: number[] = [];
    const payload = new CountingSource(256 * KiB);
    const releasing: PullSource = {
      kind: 'pulled',
      length: payload.length,
      next: (size) => payload.next(size),
      release: ({ length }) => released.push(length / KiB),
    };
    pump(sink, releasing, WINDOW, never());
    await until(() => sink.received === 64 * KiB);
    expect(released).toEqual([]);
    sink.take();
    await until(() => sink.received === 128 * KiB);
    expect(released).toEqual([64]);
    sink.destroy(new Error('the client has disconnected'));
    await until(() => sink.closed);
    expect(released).toEqual([64]);
  });

  test.each([1000, 16 * KiB])('may return less than requested: %d bytes', async (most) => {
    const sink = new Slow();
    pump(sink, new CountingSource(40 * KiB, most), WINDOW, never());
    await until(() => {
      sink.take();
      return sink.writableFinished;
    });
    expect(sink.received).toBe(40 * KiB);
  });

  test('with shared pieces is read in larger ones', async () => {
    const sink = new Slow();
    const payload = new CountingSource(512 * KiB);
    pump(
      sink,
      { kind: 'pulled', length: payload.length, shared: true, next: (size) => payload.next(size) },
      WINDOW,
      never(),
    );
    await until(() => sink.received > 0);
    expect(payload.taken).toBe(128 * KiB);
  });

  test('is read in smaller pieces while many requests are open', () => {
    const others = new TcpConnection(new Socket());
    for (let open = 0; open < 2000; open++) others.requests.nextNumber();
    expect(2000 * takenOf(new CountingSource(MiB))).toBeLessThanOrEqual(16 * MiB);
    for (let open = 2000; open < 100_000; open++) others.requests.nextNumber();
    expect(takenOf(new CountingSource(MiB))).toBe(4 * KiB);
    for (let open = 0; open < 100_000; open++) others.requests.noteFinished();
    expect(takenOf(new CountingSource(MiB))).toBe(64 * KiB);
  });

  test('is not read once the sink has closed', async () => {
    const sink = new Slow();
    const payload = new CountingSource(MiB);
    pump(sink, payload, WINDOW, never());
    sink.destroy();
    sink.take();
    await until(() => sink.closed);
    sink.emit('drain');
    expect(payload.taken).toBe(64 * KiB);
  });
});

/** The size of each piece received by a sink that accepts all at once. */
async function pieces(payload: readonly (string | Uint8Array)[], joins: boolean) {
  const left = payload[Symbol.iterator]();
  const received: number[] = [];
  const sink = new Writable({
    decodeStrings: false,
    write(piece: string | Uint8Array, _encoding, taken) {
      received.push(piece.length);
      taken();
    },
  });
  const delivery = never();
  const next = (): string | Uint8Array | undefined => left.next().value;
  pump(sink, { kind: 'streamed', next }, { ...WINDOW, joins }, delivery);
  await until(() => sink.writableFinished);
  expect(delivery.bytes).toBe(payload.reduce((sum, { length }) => sum + length, 0));
  return received;
}

describe('a streamed payload', () => {
  const text = 'x'.repeat(30 * KiB);
  const bytes = new Uint8Array(10);

  test('is written piece by piece', async () => {
    expect(await pieces(['a', 'bc', bytes, 'd'], false)).toEqual([1, 2, 10, 1]);
    expect(await pieces([], false)).toEqual([]);
  });

  test('with shared pieces is read in larger ones, which are not joined', async () => {
    const sink = new Slow();
    const source = pullBytes(new Uint8Array(512 * KiB));
    const payload = {
      kind: 'streamed',
      shared: true,
      next: (size: number) => source.next(size),
    } as const;
    pump(sink, payload, { ...WINDOW, joins: true }, never());
    await until(() => sink.received > 0);
    expect(sink.received).toBe(128 * KiB);
  });

  test.each([
    [['a', 'bc', 'd'], [4]],
    [['a', bytes, bytes, 'b', 'c'], [23]],
    [
      [text, text, text, 'a'],
      [60 * KiB, 30 * KiB + 1],
    ],
    [
      ['x'.repeat(100 * KiB), 'a'],
      [100 * KiB, 1],
    ],
    [[bytes], [10]],
    [[], []],
  ])('pieces are joined up to a window if requested (%#)', async (payload, expected) => {
    expect(await pieces(payload, true)).toEqual(expected);
  });

  test.each([true, false])('has few pieces of one byte queued, joined: %s', (joins) => {
    const sink = new Slow();
    let taken = 0;
    const next = (): Uint8Array => {
      taken++;
      return new Uint8Array(1);
    };
    pump(sink, { kind: 'streamed', next }, { ...WINDOW, joins }, never());
    expect(taken).toBeLessThan(300);
    sink.destroy();
  });

  test('has at most a window of small pieces queued', async () => {
    const sink = new Slow();
    let taken = 0;
    const next = (): Uint8Array => {
      taken += 10 * KiB;
      return new Uint8Array(10 * KiB);
    };
    pump(sink, { kind: 'streamed', next }, WINDOW, never());
    expect(taken).toBe(70 * KiB);
    await until(() => {
      sink.take();
      return sink.received === 70 * KiB;
    });
    sink.take();
    await until(() => taken === 140 * KiB);
    sink.destroy();
  });
});

test('a timed payload waits after sending what was due, even if more is due by then', async () => {
  const sink = new Writable({ write: (_piece, _encoding, taken) => taken() });
  let asked = 0;
  let waits = 0;
  const payload: TimedStream = {
    kind: 'timed',
    // It ends, in case the pump never waits.
    next: () => (asked++ > 1000 ? undefined : asked % 2 === 1 ? 'x' : null),
    wait() {
      waits++;
      return nextTurn();
    },
  };
  const delivery = never();
  pump(sink, payload, WINDOW, delivery);
  await until(() => delivery.bytes === 10 || waits > 10);
  // The writes of each iteration complete in it.
  expect(waits).toBeGreaterThanOrEqual(delivery.bytes - 1);
  sink.destroy();
});

/** A payload of 160 KiB; the test sets how many bytes are due. */
class Due implements TimedStream {
  readonly kind = 'timed';
  bytes = 0;
  waits = 0;
  #taken = 0;
  #more: (() => void) | undefined;

  next(size: number): Uint8Array | null | undefined {
    if (this.#taken === 160 * KiB) return undefined;
    const piece = new Uint8Array(Math.min(size, this.bytes - this.#taken));
    this.#taken += piece.length;
    return piece.length > 0 ? piece : null;
  }

  wait(signal: AbortSignal): Promise<void> {
    this.waits++;
    return new Promise((resolve, reject) => {
      this.#more = resolve;
      signal.addEventListener('abort', () => reject(new Error('the client has disconnected')));
    });
  }

  become(bytes: number): void {
    this.bytes = bytes;
    this.#more?.();
  }
}

describe.each([true, false])('a timed payload, joined: %s', (joins) => {
  const window = { ...WINDOW, joins };

  test('writes a window of what is due, and waits once all of it is sent', async () => {
    const sink = new Slow();
    const payload = new Due();
    pump(sink, payload, window, never());
    await until(() => payload.waits === 1);
    payload.become(159 * KiB);
    for (const received of [64, 128, 159]) {
      await until(() => sink.received === received * KiB);
      expect(sink.writableLength).toBeLessThanOrEqual(64 * KiB);
      expect(payload.waits).toBe(1);
      sink.take();
    }
    await until(() => payload.waits === 2);
    payload.become(160 * KiB);
    await until(() => sink.received === 160 * KiB);
    sink.take();
    await until(() => sink.writableFinished);
    expect(payload.waits).toBe(2);
  });

  test('has one piece queued if the client does not read, whatever becomes due', async () => {
    const sink = new Slow();
    const payload = new Due();
    payload.bytes = 1;
    pump(sink, payload, window, never());
    for (let bytes = 2; bytes < 100; bytes++) {
      payload.become(bytes);
      await new Promise(setImmediate);
    }
    expect([sink.writableLength, payload.waits]).toEqual([1, 0]);
    sink.destroy();
  });

  test('ends when the client disconnects while it waits', async () => {
    const sink = new Slow();
    const payload = new Due();
    const controller = new AbortController();
    const delivery = { ...never(), signal: controller.signal };
    pump(sink, payload, window, delivery);
    await until(() => payload.waits === 1);
    controller.abort();
    await until(() => delivery.failed.mock.calls.length > 0);
    expect(payload.waits).toBe(1);
  });

  test('ends when its wait rejects', async () => {
    const sink = new Slow();
    const payload = new Due();
    payload.wait = () => Promise.reject(new Error('no more'));
    const delivery = never();
    pump(sink, payload, window, delivery);
    await until(() => delivery.failed.mock.calls.length > 0);
    expect(delivery.failed.mock.calls).toEqual([[new Error('no more')]]);
    sink.destroy();
  });
});
