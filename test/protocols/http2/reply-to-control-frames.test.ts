import { expect, test } from 'vitest';
import { createReplier } from '../../../src/protocols/http2/reply-to-control-frames.ts';
import * as h2 from '../../_frames.ts';

const ping = h2.frame(h2.PING, 0, 0, Buffer.from('8 bytes.'));
const settings = h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(12));
const PONG = h2.frame(h2.PING, 1, 0, Buffer.from('8 bytes.'));
const ACK = h2.frame(h2.SETTINGS, 1, 0);

/** The replies to bytes that come in pieces. */
function repliesTo(bytes: Buffer, size: number): Buffer {
  const replies: Buffer[] = [];
  const read = createReplier(() => false);
  for (let at = 0; at < bytes.length; at += size) replies.push(read(bytes.subarray(at, at + size)));
  return Buffer.concat(replies);
}

test.each([1, 2, 5, 9, 17, 1000])('replies in order to pieces of %i bytes', (size) => {
  const bytes = Buffer.concat([
    // The rest of a frame.
    Buffer.from('of the content'),
    ping,
    h2.frame(h2.DATA, 0, 1, Buffer.alloc(100, 'x')),
    settings,
    ping,
    ping,
    h2.frame(h2.SETTINGS, 0, 0),
  ]);
  expect(repliesTo(bytes, size)).toEqual(Buffer.concat([PONG, ACK, PONG, PONG, ACK]));
});

test.each([
  ['acknowledgements', Buffer.concat([PONG, ACK])],
  ['a PING of another length', h2.frame(h2.PING, 0, 0, Buffer.alloc(7, 'x'))],
  ['SETTINGS of another length', h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(7, 'x'))],
  ['a PING on a stream', h2.frame(h2.PING, 0, 1, Buffer.from('8 bytes.'))],
  ['zeros', Buffer.alloc(1000)],
  ['part of a PING', ping.subarray(0, 16)],
])('%s: no reply', (_, bytes) => {
  expect(repliesTo(bytes, 1000)).toHaveLength(0);
});

test('no reply to a frame above the limit', () => {
  let frames = 0;
  const read = createReplier(() => ++frames > 2);
  expect(read(Buffer.concat([ping, settings, ping, ping]))).toEqual(Buffer.concat([PONG, ACK]));
  expect(frames).toBe(3);
});
