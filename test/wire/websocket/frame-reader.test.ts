import { expect, test } from 'vitest';
import { WebSocketReader } from '../../../src/wire/websocket/frame-reader.ts';
import { frame } from '../../_websocket.ts';

const LIMITS = { isMasked: true, maxFrame: 1000, maxMessage: 1500 };

function read(reader: WebSocketReader, ...pieces: readonly Buffer[]): string[] {
  const found: string[] = [];
  for (const piece of pieces) {
    for (const { opcode, content } of reader.read(piece)) {
      found.push(`${opcode} ${content.toString()}`);
    }
  }
  return found;
}

test('frames before an error are passed on', () => {
  const reader = new WebSocketReader(LIMITS);
  const found: number[] = [];
  const bytes = Buffer.concat([frame(1, 'a'), frame(3)]);
  expect(() => {
    for (const { opcode } of reader.read(bytes)) found.push(opcode);
  }).toThrow('reserved');
  expect(found).toEqual([1]);
});

test('RFC 6455 5.1: frames of a server are not masked', () => {
  const reader = new WebSocketReader({ ...LIMITS, isMasked: false });
  expect(read(reader, Buffer.from('810161', 'hex'))).toEqual(['1 a']);
  expect(() => read(reader, frame(1, 'a'))).toThrow('a frame is masked');
});

test('a buffer grows with what arrives, not by what is announced', () => {
  const sizes: number[] = [];
  const reader = new WebSocketReader(LIMITS, (size) => sizes.push(size));
  const bytes = frame(2, 'x'.repeat(1000));
  read(reader, bytes.subarray(0, 108), bytes.subarray(108, 158), bytes.subarray(158));
  expect(sizes).toEqual([100, 200, 1000]);
});

test('what refuses a buffer ends the reading', () => {
  const reader = new WebSocketReader(LIMITS, () => {
    throw new Error('no memory');
  });
  expect(() => read(reader, frame(2, 'a'))).toThrow('no memory');
});

test('a message is limited, whatever its number of fragments', () => {
  const reader = new WebSocketReader(LIMITS);
  const fragments = Array.from({ length: 1500 }, () => frame(0, 'x', false));
  read(reader, frame(2, '', false), ...fragments);
  expect(() => read(reader, frame(0, 'x'))).toThrow('a message has more than 1500 bytes');
});
