import { expect, test } from 'vitest';
import { encodeFrame } from '../../../src/wire/websocket/frame.ts';
import { WebSocketReader } from '../../../src/wire/websocket/frame-reader.ts';
import { frame, MASK } from '../../_websocket.ts';

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

const CONTROLS = [8, 9, 10] as const;
const compressed = (opcode: number, isFinal: boolean): Buffer =>
  encodeFrame({ isFinal, opcode, isCompressed: true, content: Buffer.of(0xff) }, MASK);

test('RFC 7692 6.1: only the first frame of a message, and no control frame, is marked as compressed', () => {
  const reader = new WebSocketReader({ ...LIMITS, mayCompress: true });
  const first = compressed(1, false);
  const marks = Array.from(
    reader.read(Buffer.concat([first, frame(9), frame(0, 'a')])),
    ({ isCompressed }) => isCompressed,
  );
  expect(marks).toEqual([true, false, false]);
  const wrong = [
    ...CONTROLS.map((opcode) => [compressed(opcode, true)]),
    [first, compressed(0, true)],
  ];
  for (const frames of wrong) {
    const other = new WebSocketReader({ ...LIMITS, mayCompress: true });
    expect(() => read(other, ...frames)).toThrow('a reserved bit is set');
  }
  expect(() => read(new WebSocketReader(LIMITS), first)).toThrow('a reserved bit is set');
});

test('RFC 6455 8.1: text that is not UTF-8 is an error before its frame is complete', () => {
  const bytes = frame(1, Buffer.from('é€😀\xff…', 'latin1'));
  const valid = frame(1, 'é€😀');
  const reader = new WebSocketReader(LIMITS);
  expect(read(reader, ...Array.from(valid, (byte) => Buffer.of(byte)))).toEqual(['1 é€😀']);
  expect(() => read(reader, bytes.subarray(0, -1))).toThrow('a text message is not UTF-8');
});
