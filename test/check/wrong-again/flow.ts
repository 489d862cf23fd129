import { Flag, FrameType, SettingId, type RawFrame } from '../../../src/wire/http2/frame.ts';
import type { WrongProxy } from '../_wrong.ts';
import { readingFrames, wrongLeg } from '../_wrong-leg.ts';

const silent = (proxy: WrongProxy): WrongProxy => ({ ...proxy, isSilent: true });

const isSettings = ({ type, flags }: RawFrame): boolean =>
  type === FrameType.settings && (flags & Flag.ack) === 0;

/** Changes the value of a setting. */
function setting(id: number, change: (value: number) => number) {
  return (received: RawFrame): RawFrame => {
    if (!isSettings(received)) return received;
    const payload = Buffer.from(received.payload);
    for (let at = 0; at + 6 <= payload.length; at += 6) {
      if (payload.readUInt16BE(at) !== id) continue;
      payload.writeUInt32BE(change(payload.readUInt32BE(at + 2)), at + 2);
    }
    return { ...received, payload };
  };
}

function goaway(change: (last: number, payload: Buffer) => number) {
  return (received: RawFrame): RawFrame => {
    if (received.type !== FrameType.goaway) return received;
    const payload = Buffer.from(received.payload);
    payload.writeUInt32BE(change(payload.readUInt32BE(0), payload), 0);
    return { ...received, payload };
  };
}

const windowUpdate = (stream: number, increment: number): RawFrame => {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return { type: FrameType.windowUpdate, flags: 0, stream, payload };
};

/** Gateways that do not keep to what an origin on HTTP/2 says. */
export const wrongFlow: readonly WrongProxy[] = [
  readingFrames(
    'takes a window of 0 for 1',
    'flow/window-0',
    setting(SettingId.initialWindowSize, (value) => Math.max(value, 1)),
  ),
  readingFrames(
    'opens one stream more than the origin allows',
    'flow/max-streams',
    setting(SettingId.maxConcurrentStreams, (value) => value + 1),
  ),
  wrongLeg('refuses requests above one stream with 503', 'flow/max-streams', { maxStreams: 1 }),
  readingFrames(
    'has a header table of at least 64 bytes',
    'flow/header-table',
    setting(SettingId.headerTableSize, (value) => Math.max(value, 64)),
  ),
  readingFrames('has one byte more of the window of a stream', 'flow/stream-window', (received) =>
    isSettings(received)
      ? {
          ...received,
          payload: Buffer.concat([received.payload, Buffer.from([0, 4, 0, 1, 0, 0])]),
        }
      : received,
  ),
  readingFrames(
    'has one byte more of the window of the connection',
    'flow/connection-window',
    (received) => (isSettings(received) ? [received, windowUpdate(0, 1)] : received),
  ),
  readingFrames(
    'reads WINDOW_UPDATE as twice what it says',
    ['flow/connection-window', 'flow/stream-window'],
    (received) =>
      received.type === FrameType.windowUpdate
        ? windowUpdate(received.stream, Math.min(received.payload.readUInt32BE(0) * 2, 1e9))
        : received,
  ),
  readingFrames('acknowledges PING with zeros', 'flow/ping', (received) =>
    received.type === FrameType.ping ? { ...received, payload: Buffer.alloc(8) } : received,
  ),
  silent(
    wrongLeg('acknowledges a PING with another PING', 'flow/ping', {
      frames: {
        answer: (received) =>
          received.type === FrameType.ping && (received.flags & Flag.ack) === 0
            ? received
            : undefined,
      },
    }),
  ),
  silent(
    readingFrames('ignores SETTINGS that change nothing', 'flow/settings', (received) =>
      isSettings(received) && received.payload.readUInt32BE(2) === 65_535 ? undefined : received,
    ),
  ),
  silent(
    wrongLeg('acknowledges SETTINGS of the origin with their values', 'flow/settings', {
      frames: {
        answer: (received) => (isSettings(received) ? { ...received, flags: Flag.ack } : undefined),
      },
    }),
  ),
  readingFrames(
    'reads a last stream of 2^31-1 as 0',
    ['goaway/graceful', 'goaway/open-streams'],
    goaway((last) => (last >= 0x7fff_ffff ? 0 : last)),
  ),
  readingFrames(
    'takes the last stream of GOAWAY for the first that is not processed',
    'goaway/last-stream',
    goaway((last) => Math.max(0, last - 2)),
  ),
  wrongLeg('refuses requests with 503 while streams are open after GOAWAY', 'goaway/new-streams', {
    refusesAfterGoaway: true,
  }),
  {
    ...wrongLeg('ends a response that GOAWAY cuts off on HTTP/2', 'h2 goaway/mid-stream', {}),
    leg: { responseFields: (name) => name !== 'content-length' },
    deviation: { endsTruncated: ({ version }) => version === '2.0' },
  },
  wrongLeg('sends a POST again without the last byte', 'goaway/post-unprocessed', {
    replays: (content) => content.subarray(0, -1),
  }),
  wrongLeg('sends a POST again with content twice', 'goaway/post-unprocessed', {
    replays: (content) => Buffer.concat([content, content]),
  }),
];
