import { expect, test } from 'vitest';
import { frame, FrameSplitter, FrameType } from '../../../src/wire/http2/frame.ts';
import { fragment, parseSettings, settingsPayload } from '../../../src/wire/http2/frame-payload.ts';

test('SETTINGS: order, repeated and unknown parameters are kept (RFC 9113 6.5)', () => {
  const settings = [
    { id: 4, value: 65_536 },
    { id: 0x1a2a, value: 2 ** 32 - 1 },
    { id: 4, value: 1 },
  ];
  const payload = settingsPayload(settings.map(({ id, value }) => [id, value]));
  expect(payload.toString('hex')).toBe('0004000100001a2affffffff000400000001');
  expect(parseSettings(payload)).toEqual(settings);
  expect(parseSettings(payload.subarray(0, 8))).toHaveLength(1);
});

test.each([
  ['padding', FrameType.data, 0x8, [2, 97, 98, 0, 0], 'ab'],
  ['a priority and padding', FrameType.headers, 0x28, [1, 0, 0, 0, 0, 0, 97, 0], 'a'],
  ['only padding', FrameType.data, 0x8, [1, 0], ''],
  ['too much padding', FrameType.data, 0x8, [9, 97], ''],
  ['too little', FrameType.headers, 0x20, [0, 0], ''],
  ['nothing', FrameType.data, 0x8, [], ''],
])('what a frame with %s carries', (_, type, flags, bytes, content) => {
  const [first] = new FrameSplitter().push(frame(type, flags, 1, Buffer.from(bytes)));
  expect(first && fragment(first).toString()).toBe(content);
});
