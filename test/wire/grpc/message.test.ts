import { expect, test } from 'vitest';
import { COMPRESSED, frameMessage, MessageReader } from '../../../src/wire/grpc/message.ts';

const read = (pieces: readonly Buffer[], limit = 100, reserved: number[] = []) => {
  const reader = new MessageReader(limit, (bytes) => reserved.push(bytes));
  return pieces.flatMap((piece) => {
    reader.push(piece);
    const texts: string[] = [];
    for (let next = reader.take(); next; next = reader.take()) {
      texts.push(`${next.isCompressed ? 'compressed ' : ''}${next.content.toString()}`);
    }
    return texts;
  });
};

test('messages in one piece, and in single bytes', () => {
  const bytes = Buffer.concat([
    frameMessage(Buffer.from('one')),
    frameMessage(Buffer.from('')),
    frameMessage(Buffer.from('three'), COMPRESSED),
  ]);
  const messages = ['one', '', 'compressed three'];
  expect(read([bytes])).toEqual(messages);
  expect(read(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(messages);
  for (let at = 0; at < bytes.length; at++) {
    expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(messages);
  }
});

test('content that was taken stays as it is when more arrives', () => {
  const reader = new MessageReader(100, () => undefined);
  const bytes = Buffer.concat([frameMessage(Buffer.from('one')), Buffer.from([0])]);
  reader.push(bytes.subarray(0, 3));
  reader.push(bytes.subarray(3));
  const first = reader.take();
  reader.push(frameMessage(Buffer.from('two')).subarray(1));
  expect(reader.take()?.content.toString()).toBe('two');
  expect(first?.content.toString()).toBe('one');
  expect(reader.length).toBe(0);
});

test('a length beyond the limit is refused by its prefix', () => {
  expect(() => read([Buffer.from([0, 0, 0, 0, 101])])).toThrow('101 bytes exceeds the maximum');
  expect(read([Buffer.from([0, 0, 0, 0, 100])])).toEqual([]);
});

test.each([2, 0x80, 0xff])('flags of %i are refused', (flags) => {
  expect(() => read([frameMessage(Buffer.alloc(0), flags)])).toThrow(`are ${flags}`);
});

test('memory grows with what arrives, not with what is announced', () => {
  const reserved: number[] = [];
  read([Buffer.from([0, 0xff, 0, 0, 0]), Buffer.alloc(10)], 2 ** 32 - 1, reserved);
  expect(reserved).toEqual([1024]);
});
