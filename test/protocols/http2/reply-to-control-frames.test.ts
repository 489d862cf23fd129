import { expect, test } from 'vitest';
import { createReplier } from '../../../src/protocols/http2/reply-to-control-frames.ts';
import * as h2 from '../../_frames.ts';

const ping = h2.frame(h2.PING, 0, 0, Buffer.from('8 bytes.'));
const settings = h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(12));
const PONG = h2.frame(h2.PING, 1, 0, Buffer.from('8 bytes.'));
const ACK = h2.frame(h2.SETTINGS, 1, 0);

/** The replies to bytes that come in pieces. */
function repliesTo(bytes: Buffer, size: number): string[] {
  const replies: string[] = [];
  const read = createReplier((reply) => replies.push(reply.toString('hex')));
  for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
  return replies;
}

const [pong, ack] = [PONG, ACK].map((each) => each.toString('hex'));

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
  expect(repliesTo(bytes, size)).toEqual([pong, ack, pong, pong, ack]);
});

test.each([
  ['acknowledgements', Buffer.concat([PONG, ACK])],
  ['a PING of another length', h2.frame(h2.PING, 0, 0, Buffer.alloc(7, 'x'))],
  ['SETTINGS of another length', h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(7, 'x'))],
  ['a PING on a stream', h2.frame(h2.PING, 0, 1, Buffer.from('8 bytes.'))],
  ['zeros', Buffer.alloc(1000)],
  ['part of a PING', ping.subarray(0, 16)],
])('%s: no reply', (_, bytes) => {
  expect(repliesTo(bytes, 1000)).toEqual([]);
});
