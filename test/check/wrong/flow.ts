import { parseSettings, settingsPayload } from '../../../src/wire/http2/frame-payload.ts';
import {
  Flag,
  FrameType,
  SettingId,
  uint32,
  type RawFrame,
} from '../../../src/wire/http2/frame.ts';
import { ignoringFrames, readingFrames } from '../_wrong-leg.ts';
import type { WrongProxy } from '../_wrong.ts';

const LARGE_WINDOW = 2 ** 24;

const isSettings = ({ type, flags }: RawFrame): boolean =>
  type === FrameType.settings && (flags & Flag.ack) === 0;

/** What was sent by /h2/settings, not at the beginning of the connection. */
const isLater = (received: RawFrame): boolean =>
  isSettings(received) && received.payload.length === 6;

/** Takes a setting for another value. */
const taking =
  (wanted: number, value: number, taken: number) =>
  (received: RawFrame): RawFrame => {
    if (!isSettings(received)) return received;
    const settings = parseSettings(received.payload).map(
      ({ id, value: given }) => [id, id === wanted && given === value ? taken : given] as const,
    );
    return { ...received, payload: settingsPayload(settings) };
  };

/** Gateways that ignore limits of an origin on HTTP/2. */
export const wrongFlow: readonly WrongProxy[] = [
  readingFrames(
    'ignores a window of 0',
    'flow/window-0',
    taking(SettingId.initialWindowSize, 0, 65_535),
  ),
  readingFrames('takes the window of a stream for larger', 'flow/stream-window', (received) => {
    if (!isSettings(received) || isLater(received)) return received;
    const larger = settingsPayload([[SettingId.initialWindowSize, LARGE_WINDOW]]);
    return { ...received, payload: Buffer.concat([received.payload, larger]) };
  }),
  readingFrames(
    'takes the window of the connection for larger',
    'flow/connection-window',
    (received) => {
      if (!isSettings(received) || isLater(received)) return received;
      const payload = uint32(LARGE_WINDOW);
      return [received, { type: FrameType.windowUpdate, flags: 0, stream: 0, payload }];
    },
  ),
  readingFrames(
    'ignores MAX_CONCURRENT_STREAMS',
    'flow/max-streams',
    taking(SettingId.maxConcurrentStreams, 1, 250),
  ),
  readingFrames(
    'ignores HEADER_TABLE_SIZE',
    'flow/header-table',
    taking(SettingId.headerTableSize, 0, 4096),
  ),
  ignoringFrames(
    'ignores SETTINGS in mid-connection',
    ['flow/settings', 'flow/window-0', 'flow/max-streams', 'flow/header-table'],
    isLater,
  ),
  ignoringFrames(
    'ignores PING',
    'flow/ping',
    ({ type, flags }) => type === FrameType.ping && (flags & Flag.ack) === 0,
  ),
];
