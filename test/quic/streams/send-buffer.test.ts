import { describe, expect, test } from 'vitest';
import { ReceiveBuffer } from '../../../src/quic/streams/receive-buffer.ts';
import { SendBuffer, type StreamData } from '../../../src/quic/streams/send-buffer.ts';
import { bytesInUse } from '../../_garbage.ts';
import { patternOf, randomIntegers } from '../_random.ts';

const bufferWith = (...chunks: readonly string[]): SendBuffer => {
  const buffer = new SendBuffer();
  for (const chunk of chunks) buffer.append(Buffer.from(chunk));
  return buffer;
};

/** All that can be sent now: `offset:data`, with `.` where the stream ends. */
function takeAll(buffer: SendBuffer, max: number, limit?: number): string[] {
  const frames: string[] = [];
  for (let next = buffer.take(max, limit); next; next = buffer.take(max, limit)) {
    frames.push(`${next.offset}:${next.data.toString()}${next.isLast ? '.' : ''}`);
  }
  return frames;
}

const acknowledge = (buffer: SendBuffer, { offset, data, isLast }: StreamData): void =>
  buffer.acknowledge(offset, offset + data.length, isLast);
const lose = (buffer: SendBuffer, { offset, data, isLast }: StreamData): void =>
  buffer.lose(offset, offset + data.length, isLast);

describe('what is sent', () => {
  test('is cut at the size of a frame, and joined from small chunks', () => {
    const buffer = bufferWith('ab', 'c', 'defgh', 'i');
    expect(takeAll(buffer, 4)).toEqual(['0:abcd', '4:efgh', '8:i']);
  });

  test('is a view of a large chunk', () => {
    const buffer = new SendBuffer();
    const chunk = Buffer.alloc(3000);
    buffer.append(chunk);
    expect(buffer.take(1100)?.data.buffer).toBe(chunk.buffer);
    expect(buffer.take(1100)?.data.byteOffset).toBe(chunk.byteOffset + 1100);
  });

  test('ends below the limit of flow control, again and again as that rises', () => {
    const buffer = bufferWith('abcdef');
    buffer.finish();
    expect(takeAll(buffer, 4, 0)).toEqual([]);
    expect(takeAll(buffer, 4, 2)).toEqual(['0:ab']);
    expect(takeAll(buffer, 4, 2)).toEqual([]);
    expect(takeAll(buffer, 4, 1)).toEqual([]);
    expect(takeAll(buffer, 4, 100)).toEqual(['2:cdef.']);
    expect(buffer.isSent).toBe(true);
  });

  test('has FIN with the last byte, or alone if that was sent', () => {
    const early = bufferWith('ab');
    early.finish();
    expect(takeAll(early, 9)).toEqual(['0:ab.']);
    const late = bufferWith('ab');
    expect(takeAll(late, 9)).toEqual(['0:ab']);
    expect(late.needsNoCredit).toBe(false);
    late.finish();
    expect(late.needsNoCredit).toBe(true);
    expect(takeAll(late, 9, 0)).toEqual(['2:.']);
    const empty = bufferWith();
    empty.finish();
    expect(takeAll(empty, 9)).toEqual(['0:.']);
  });
});

describe('what is lost', () => {
  test('is sent again before what is new, also above the limit of new bytes', () => {
    const buffer = bufferWith('abcdefghij');
    const first = buffer.take(3);
    buffer.take(3);
    if (first) lose(buffer, first);
    expect(buffer.nextOffset).toBe(0);
    expect(takeAll(buffer, 2, 6)).toEqual(['0:ab', '2:c']);
    expect(takeAll(buffer, 9)).toEqual(['6:ghij']);
  });

  test('is not sent again where another packet has brought it', () => {
    const buffer = bufferWith('abcdef');
    takeAll(buffer, 6);
    buffer.acknowledge(2, 4, false);
    buffer.lose(0, 6, false);
    expect(takeAll(buffer, 6)).toEqual(['0:ab', '4:ef']);
    buffer.acknowledge(0, 2, false);
    buffer.lose(0, 6, false);
    expect(takeAll(buffer, 6)).toEqual(['4:ef']);
  });

  test('is not sent again if its acknowledgement comes late', () => {
    const buffer = bufferWith('abcdef');
    buffer.finish();
    takeAll(buffer, 6);
    buffer.lose(0, 6, true);
    buffer.acknowledge(0, 6, true);
    expect(takeAll(buffer, 6)).toEqual([]);
    expect(buffer.isAcknowledged).toBe(true);
  });

  test('may be FIN alone', () => {
    const buffer = bufferWith('ab');
    takeAll(buffer, 2);
    buffer.finish();
    takeAll(buffer, 2);
    buffer.lose(2, 2, true);
    expect(buffer.isSent).toBe(false);
    expect(takeAll(buffer, 2)).toEqual(['2:.']);
    buffer.acknowledge(2, 2, true);
    expect(buffer.isAcknowledged).toBe(false);
    buffer.acknowledge(0, 2, false);
    expect(buffer.isAcknowledged).toBe(true);
  });
});

describe('memory', () => {
  test('is freed as the start is acknowledged', () => {
    const buffer = new SendBuffer();
    const before = bytesInUse();
    for (let at = 0; at < 64; at++) buffer.append(Buffer.alloc(64 * 1024));
    takeAll(buffer, 64 * 1024);
    expect(bytesInUse() - before).toBeGreaterThan(4_000_000);
    buffer.acknowledge(64 * 1024, 64 * 64 * 1024, false);
    expect(bytesInUse() - before).toBeGreaterThan(4_000_000);
    buffer.acknowledge(0, 64 * 1024, false);
    expect(bytesInUse() - before).toBeLessThan(500_000);
    expect(buffer.end).toBe(64 * 64 * 1024);
  });

  test('is freed when the stream is reset, and nothing is sent again', () => {
    const buffer = bufferWith('abcdef');
    takeAll(buffer, 2, 4);
    buffer.lose(0, 2, false);
    buffer.clear();
    expect(takeAll(buffer, 9)).toEqual([]);
    expect(buffer.sent).toBe(4);
  });
});

test('content arrives as it was, however frames are lost, duplicated and reordered', () => {
  const content = patternOf(30_000);
  for (let seed = 0; seed < 100; seed++) {
    const random = randomIntegers(seed);
    const sender = new SendBuffer();
    const receiver = new ReceiveBuffer();
    const received: Buffer[] = [];
    const flying: StreamData[] = [];
    const loss = seed % 4;
    let limit = 0;
    for (let steps = 0; !sender.isAcknowledged && steps < 20_000; steps++) {
      if (sender.end < content.length) {
        const end = Math.min(content.length, sender.end + 1 + random(seed % 2 ? 50 : 5000));
        sender.append(content.subarray(sender.end, end));
        if (end === content.length) sender.finish();
      }
      limit += random(3000);
      const frame = sender.take(1 + random(1200), limit);
      if (frame) flying.push(frame);
      const [arrived] = random(2) ? flying.splice(random(flying.length), 1) : [];
      if (!arrived) continue;
      const isLost = random(4) < loss - 1;
      if (!isLost) receiver.receive(arrived.offset, arrived.data, arrived.isLast);
      // An acknowledgement may be lost too: then the packet is deemed lost.
      if (isLost || random(8) === 0) lose(sender, arrived);
      else acknowledge(sender, arrived);
      for (let piece = receiver.read(); piece; piece = receiver.read()) received.push(piece);
    }
    expect([sender.isAcknowledged, receiver.isRead]).toEqual([true, true]);
    expect(Buffer.concat(received).equals(content)).toBe(true);
    expect(sender.take(1200)).toBeUndefined();
  }
});
