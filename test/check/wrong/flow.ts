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
    const settings = parseSettings(received).map(
      ({ id, value: given }) => [id, id === wanted && given === value ? taken : given] as const,
    );
    return { ...received, payload: settingsPayload(settings) };
  };

/** Gateways that ignore limits of an origin on HTTP/2. */
export const wrongFlow: readonly WrongProxy[] = [
  readingFrames('ignores a window of 0', taking(SettingId.initialWindowSize, 0, 65_535), {
    'flow/window-0': 'fail',
  }),
  readingFrames(
    'takes the window of a stream for larger',
    (received) => {
      if (!isSettings(received) || isLater(received)) return received;
      const larger = settingsPayload([[SettingId.initialWindowSize, LARGE_WINDOW]]);
      return { ...received, payload: Buffer.concat([received.payload, larger]) };
    },
    { 'flow/stream-window': 'fail' },
  ),
  readingFrames(
    'takes the window of the connection for larger',
    (received) => {
      if (!isSettings(received) || isLater(received)) return received;
      const payload = uint32(LARGE_WINDOW);
      return [received, { type: FrameType.windowUpdate, flags: 0, stream: 0, payload }];
    },
    { 'flow/connection-window': 'fail' },
  ),
  readingFrames('ignores MAX_CONCURRENT_STREAMS', taking(SettingId.maxConcurrentStreams, 1, 250), {
    'flow/max-streams': 'fail',
  }),
  readingFrames('ignores HEADER_TABLE_SIZE', taking(SettingId.headerTableSize, 0, 4096), {
    'flow/header-table': 'fail',
  }),
  ignoringFrames('ignores SETTINGS in mid-connection', isLater, {
    'flow/settings': 'fail',
    'flow/window-0': 'fail',
    'flow/max-streams': 'fail',
    'flow/header-table': 'fail',
  }),
  ignoringFrames(
    'ignores PING',
    ({ type, flags }) => type === FrameType.ping && (flags & Flag.ack) === 0,
    { 'flow/ping': 'fail' },
  ),
];
