import { describe, expect, test } from 'vitest';
import { ReceiveBuffer, SmallPieces } from '../../../src/quic/streams/receive-buffer.ts';
import { patternOf, randomIntegers, shuffled } from '../_random.ts';

/** All that can be read now. */
function readAll(buffer: ReceiveBuffer): Buffer {
  const pieces: Buffer[] = [];
  for (let piece = buffer.read(); piece; piece = buffer.read()) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** A part of the content in memory of its own, as a datagram has. */
const ownPart = (content: Buffer, start: number, end: number): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(end - start);
  content.copy(bytes, 0, start, end);
  return bytes;
};

/** Has three bytes before the final size of 8, after a gap. */
const finished = (): ReceiveBuffer => {
  const buffer = new ReceiveBuffer();
  buffer.receive(5, Buffer.from('fgh'), true);
  return buffer;
};

describe('pieces in order', () => {
  test('are read as they came, without a copy', () => {
    const buffer = new ReceiveBuffer();
    const piece = Buffer.allocUnsafeSlow(1100);
    expect(buffer.receive(0, piece)).toBeUndefined();
    expect(buffer.read()).toBe(piece);
    expect(buffer.read()).toBeUndefined();
    expect(buffer.offset).toBe(1100);
  });

  test('of one byte are joined while they wait', () => {
    const buffer = new ReceiveBuffer();
    const content = patternOf(10_000);
    for (let at = 0; at < content.length; at++) buffer.receive(at, content.subarray(at, at + 1));
    let count = 0;
    const pieces: Buffer[] = [];
    for (let piece = buffer.read(); piece; piece = buffer.read()) pieces[count++] = piece;
    expect(Buffer.concat(pieces)).toEqual(content);
    expect(count).toBeLessThan(5);
  });
});

describe('pieces out of order', () => {
  test('wait for those before them', () => {
    const buffer = new ReceiveBuffer();
    buffer.receive(3, Buffer.from('def'));
    expect(buffer.read()).toBeUndefined();
    buffer.receive(0, Buffer.from('abc'));
    expect(readAll(buffer).toString()).toBe('abcdef');
  });

  test('may overlap: the byte that came first counts (RFC 9000 2.2)', () => {
    const buffer = new ReceiveBuffer();
    buffer.receive(2, Buffer.from('cd'));
    buffer.receive(6, Buffer.from('gh'));
    buffer.receive(1, Buffer.from('XXXXXXXXX'));
    buffer.receive(0, Buffer.from('abY'));
    expect(readAll(buffer).toString()).toBe('aXcdXXghXX');
    expect(buffer.end).toBe(10);
  });

  test('may cover a part of the piece before them and of the next one', () => {
    const buffer = new ReceiveBuffer();
    buffer.receive(0, Buffer.from('abc'));
    buffer.receive(5, Buffer.from('fgh'));
    buffer.receive(2, Buffer.from('XdeXX'));
    expect(readAll(buffer).toString()).toBe('abcdefgh');
  });

  test('that were read already are ignored', () => {
    const buffer = new ReceiveBuffer();
    buffer.receive(0, Buffer.from('abc'));
    readAll(buffer);
    buffer.receive(0, Buffer.from('XXXd'));
    buffer.receive(1, Buffer.from('X'));
    buffer.receive(0, Buffer.alloc(0));
    expect(readAll(buffer).toString()).toBe('d');
  });

  test('arrive as the content was, cut, reordered and duplicated at random', () => {
    const content = patternOf(20_000);
    for (let seed = 0; seed < 100; seed++) {
      const random = randomIntegers(seed);
      const buffer = new ReceiveBuffer();
      const largest = [2, 40, 300, 1200, 6000][seed % 5] ?? 2;
      const cuts: (readonly [number, number])[] = [];
      for (let at = 0; at < content.length / (largest < 300 ? 10 : 1);) {
        const end = Math.min(content.length, at + 1 + random(largest));
        cuts.push([Math.max(0, at - random(3) * random(largest)), end]);
        at = end;
      }
      const total = cuts.at(-1)?.[1] ?? 0;
      // A third of them arrives twice.
      const order = shuffled(cuts.length, random);
      const twice = [...order, ...order.filter(() => random(3) === 0)];
      const parts: Buffer[] = [];
      for (const [step, at] of twice.entries()) {
        const [start, end] = cuts[at] ?? [0, 0];
        const piece = random(2) ? content.subarray(start, end) : ownPart(content, start, end);
        if (buffer.receive(start, piece, end === total)) throw new Error('refused');
        if (step % 3 === seed % 3) parts.push(readAll(buffer));
      }
      parts.push(readAll(buffer));
      expect(Buffer.concat(parts).equals(content.subarray(0, total))).toBe(true);
      expect([buffer.isComplete, buffer.isRead, buffer.finalSize]).toEqual([true, true, total]);
    }
  });
});

describe('the final size (RFC 9000 4.5)', () => {
  test('is the end of the frame with FIN', () => {
    const buffer = finished();
    expect(buffer.finalSize).toBe(8);
    expect(buffer.isComplete).toBe(false);
    buffer.receive(0, Buffer.from('abcde'));
    expect(buffer.isComplete).toBe(true);
    expect(buffer.isRead).toBe(false);
    readAll(buffer);
    expect(buffer.isRead).toBe(true);
  });

  test('may be said again', () => {
    expect(finished().receive(8, Buffer.alloc(0), true)).toBeUndefined();
    expect(finished().receive(2, Buffer.from('cde'))).toBeUndefined();
  });

  test.each([
    ['data above it', 8, 'i', false],
    ['a larger one', 9, '', true],
    ['a smaller one', 3, 'd', true],
  ])('%s is FINAL_SIZE_ERROR', (_, offset, data, isLast) => {
    expect(finished().receive(offset, Buffer.from(data), isLast)).toMatchObject({
      code: 'FINAL_SIZE_ERROR',
      section: 'RFC 9000 4.5',
    });
  });

  test('one below what was received is FINAL_SIZE_ERROR, whether or not that was read', () => {
    for (const reads of [false, true]) {
      const buffer = new ReceiveBuffer();
      buffer.receive(0, Buffer.from('abc'));
      if (reads) readAll(buffer);
      expect(buffer.receive(0, Buffer.from('ab'), true)?.code).toBe('FINAL_SIZE_ERROR');
    }
  });

  test('of nothing is complete at once', () => {
    const buffer = new ReceiveBuffer();
    buffer.receive(0, Buffer.alloc(0), true);
    expect(buffer.isRead).toBe(true);
  });
});

test('what is discarded counts as read', () => {
  const small = new SmallPieces();
  const buffer = new ReceiveBuffer(small);
  buffer.receive(4, Buffer.from('efgh'));
  buffer.discard();
  expect([buffer.offset, small.count]).toEqual([8, 0]);
  buffer.receive(10, Buffer.from('kl'));
  expect([buffer.offset, buffer.read()]).toEqual([12, undefined]);
  expect(buffer.receive(0, Buffer.alloc(20), true)).toBeUndefined();
  expect([buffer.isRead, buffer.offset]).toEqual([true, 20]);
  expect(buffer.receive(20, Buffer.alloc(1))?.code).toBe('FINAL_SIZE_ERROR');
});

describe('memory', () => {
  test('of a datagram is not kept by a small piece of it', () => {
    const buffer = new ReceiveBuffer();
    const datagram = Buffer.allocUnsafeSlow(1200);
    buffer.receive(0, datagram.subarray(100, 101));
    expect(buffer.read()?.buffer.byteLength).toBe(1);
    buffer.receive(1, datagram.subarray(100));
    expect(buffer.read()?.buffer).toBe(datagram.buffer);
  });

  test('is that of the bytes, not of their offsets', () => {
    const buffer = new ReceiveBuffer();
    const before = process.memoryUsage().arrayBuffers;
    for (let at = 1; at < 100; at++) buffer.receive(at * 1e9, Buffer.from('x'));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000);
  });

  test('of small pieces with gaps is bounded on all streams of a connection (RFC 9000 21.7)', () => {
    const small = new SmallPieces();
    const streams = Array.from({ length: 10 }, () => new ReceiveBuffer(small));
    const byte = Buffer.from('x');
    let received = 0;
    let wrong;
    for (; !wrong && received < 10_000; received++) {
      wrong = streams[received % 10]?.receive(2 * received + 2, byte);
    }
    expect(wrong).toMatchObject({ code: 'INTERNAL_ERROR', section: 'RFC 9000 21.7' });
    expect(received).toBe(2049);
    // What is read or discarded makes room.
    for (const stream of streams) stream.discard();
    expect(small.count).toBe(0);
  });

  test('a piece that covers others replaces them', () => {
    const small = new SmallPieces();
    const buffer = new ReceiveBuffer(small);
    for (let at = 1; at < 1000; at += 2) buffer.receive(at, Buffer.from('x'));
    expect(small.count).toBe(500);
    buffer.receive(0, Buffer.alloc(1100, 'y'));
    expect(small.count).toBe(0);
    expect(readAll(buffer).toString()).toBe(`${'yx'.repeat(500)}${'y'.repeat(100)}`);
  });

  test('it survives offsets and lengths of any kind', () => {
    for (let seed = 0; seed < 100; seed++) {
      const random = randomIntegers(seed);
      const buffer = new ReceiveBuffer();
      for (let step = 0; step < 100; step++) {
        const offset = random(20) === 0 ? Number.MAX_SAFE_INTEGER - random(3) : random(3000);
        buffer.receive(offset, Buffer.alloc(random(4) === 0 ? 0 : random(1200)), random(30) === 0);
        if (random(3) === 0) readAll(buffer);
        if (random(200) === 0) buffer.discard();
        if (buffer.offset > buffer.end) throw new Error('read more than was received');
      }
    }
  });
});
