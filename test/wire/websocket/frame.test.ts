import { expect, test } from 'vitest';
import {
  applyMask,
  closeContent,
  encodeFrame,
  isCloseCode,
  Opcode,
} from '../../../src/wire/websocket/frame.ts';

const text = (content: string) => ({
  isFinal: true,
  opcode: Opcode.text,
  content: Buffer.from(content),
});

test('RFC 6455 5.7: its examples', () => {
  expect(encodeFrame(text('Hello')).toString('hex')).toBe('810548656c6c6f');
  const mask = Uint8Array.of(0x37, 0xfa, 0x21, 0x3d);
  expect(encodeFrame(text('Hello'), mask).toString('hex')).toBe('818537fa213d7f9f4d5158');
  expect(encodeFrame(text('x'.repeat(256))).toString('hex', 0, 4)).toBe('817e0100');
  expect(encodeFrame(text('x'.repeat(65_536))).toString('hex', 0, 10)).toBe('817f0000000000010000');
});

test('RFC 6455 5.3: masking twice changes nothing, also in pieces', () => {
  const bytes = Buffer.from('some content');
  const mask = Uint8Array.of(1, 2, 3, 4);
  applyMask(bytes, mask, 0);
  applyMask(bytes.subarray(0, 5), mask, 0);
  applyMask(bytes.subarray(5), mask, 5);
  expect(bytes.toString()).toBe('some content');
});

test('RFC 6455 5.5: a reason is cut to what a control frame can have', () => {
  expect(closeContent(1000).toString('hex')).toBe('03e8');
  expect(closeContent(1000, 'x'.repeat(200))).toHaveLength(125);
});

test('RFC 6455 7.4: codes of a Close frame', () => {
  const valid = [1000, 1003, 1007, 1014, 3000, 4999];
  const reserved = [0, 999, 1004, 1005, 1006, 1015, 2999, 5000];
  expect([...valid, ...reserved].filter(isCloseCode)).toEqual(valid);
});
