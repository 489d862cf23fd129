import { Flag, FrameType, SettingId, type RawFrame } from '../../../src/wire/http2/frame.ts';
import type { WrongProxy } from '../_wrong.ts';
import { readingFrames, wrongLeg } from '../_wrong-leg.ts';

/** They break other checks, too. */
const leg = (...args: Parameters<typeof wrongLeg>): WrongProxy => ({
  ...wrongLeg(...args),
  breaksOthers: true,
});
const reading = (...args: Parameters<typeof readingFrames>): WrongProxy => ({
  ...readingFrames(...args),
  breaksOthers: true,
});
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
  reading(
    'takes a window of 0 for the default',
    setting(SettingId.initialWindowSize, (value) => (value === 0 ? 65_535 : value)),
    { 'flow/window-0': 'fail' },
  ),
  reading(
    'takes a window of 0 for 1',
    setting(SettingId.initialWindowSize, (value) => Math.max(value, 1)),
    { 'flow/window-0': 'fail' },
  ),
  reading(
    'opens one stream more than the origin allows',
    setting(SettingId.maxConcurrentStreams, (value) => value + 1),
    { 'flow/max-streams': 'fail' },
  ),
  leg(
    'refuses requests above one stream with 503',
    { maxStreams: 1 },
    { 'flow/max-streams': 'fail' },
  ),
  reading(
    'has a header table of at least 64 bytes',
    setting(SettingId.headerTableSize, (value) => Math.max(value, 64)),
    { 'flow/header-table': 'fail' },
  ),
  reading(
    'has one byte more of the window of a stream',
    (received) =>
      isSettings(received)
        ? {
            ...received,
            payload: Buffer.concat([received.payload, Buffer.from([0, 4, 0, 1, 0, 0])]),
          }
        : received,
    { 'flow/stream-window': 'fail' },
  ),
  reading(
    'has one byte more of the window of the connection',
    (received) => (isSettings(received) ? [received, windowUpdate(0, 1)] : received),
    { 'flow/connection-window': 'fail' },
  ),
  reading(
    'has 64 KiB more of the window of the connection',
    (received) => (isSettings(received) ? [received, windowUpdate(0, 65_536)] : received),
    { 'flow/connection-window': 'fail' },
  ),
  reading(
    'reads WINDOW_UPDATE as twice what it says',
    (received) =>
      received.type === FrameType.windowUpdate
        ? windowUpdate(received.stream, Math.min(received.payload.readUInt32BE(0) * 2, 1e9))
        : received,
    { 'flow/connection-window': 'fail', 'flow/stream-window': 'fail' },
  ),
  reading(
    'acknowledges PING with zeros',
    (received) =>
      received.type === FrameType.ping ? { ...received, payload: Buffer.alloc(8) } : received,
    { 'flow/ping': 'fail' },
  ),
  silent(
    leg(
      'acknowledges a PING with another PING',
      {
        frames: {
          answer: (received) =>
            received.type === FrameType.ping && (received.flags & Flag.ack) === 0
              ? received
              : undefined,
        },
      },
      { 'flow/ping': 'fail' },
    ),
  ),
  silent(
    reading(
      'ignores SETTINGS that change nothing',
      (received) =>
        isSettings(received) && received.payload.readUInt32BE(2) === 65_535 ? undefined : received,
      { 'flow/settings': 'fail' },
    ),
  ),
  silent(
    leg(
      'acknowledges SETTINGS of the origin with their values',
      {
        frames: {
          answer: (received) =>
            isSettings(received) ? { ...received, flags: Flag.ack } : undefined,
        },
      },
      { 'flow/settings': 'fail' },
    ),
  ),
  reading(
    'reads a last stream of 2^31-1 as 0',
    goaway((last) => (last >= 0x7fff_ffff ? 0 : last)),
    { 'goaway/graceful': 'fail', 'goaway/open-streams': 'fail' },
  ),
  reading(
    'takes the last stream of GOAWAY for the first that is not processed',
    goaway((last) => Math.max(0, last - 2)),
    { 'goaway/last-stream': 'fail' },
  ),
  leg(
    'refuses requests with 503 while streams are open after GOAWAY',
    { refusesAfterGoaway: true },
    { 'goaway/new-streams': 'fail' },
  ),
  {
    ...leg(
      'ends a response that GOAWAY cuts off on HTTP/2',
      {},
      { 'h2 goaway/mid-stream': 'fail' },
    ),
    leg: { responseFields: (name) => name !== 'content-length' },
    deviation: { endsTruncated: ({ version }) => version === '2.0' },
  },
  leg(
    'sends a POST again without the last byte',
    { replays: (content) => content.subarray(0, -1) },
    { 'goaway/post-unprocessed': 'fail' },
  ),
  leg(
    'sends a POST again with content twice',
    { replays: (content) => Buffer.concat([content, content]) },
    { 'goaway/post-unprocessed': 'fail' },
  ),
];
