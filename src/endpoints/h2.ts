import { invalidParameter, Problem } from '../http/problem.ts';
import { DEFAULT_MAX_FRAME_SIZE } from '../wire/http2/frame.ts';
import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { described, duration, int, optional } from '../server/params.ts';
import { json } from '../server/reply.ts';
import type { Http2SettingName, Request, SessionControl } from '../server/request.ts';
import {
  arrayOf,
  BOOLEAN,
  COUNT,
  mapSchema,
  nullable,
  NUMBER,
  objectSchema,
} from '../server/schema.ts';

const SECOND = 1000;
const MAX_UINT32 = 2 ** 32 - 1;
/** Default timeout in seconds. */
const DEFAULT_TIMEOUT = 5;
const MAX_PINGS = 10;

/** Bounds of settings. They also limit what a client can make the server keep in memory. */
const settingQuery = {
  header_table_size: settingParameter(0, 1024 ** 2, 'HPACK table of the client.'),
  max_concurrent_streams: settingParameter(0, 1000, 'Concurrent streams.'),
  initial_window_size: settingParameter(
    0,
    2 ** 31 - 1,
    'Window of a stream, up to 256 KiB or --h2-initial-window-size.',
  ),
  max_frame_size: settingParameter(DEFAULT_MAX_FRAME_SIZE, 2 ** 24 - 1, 'Payload of a frame.'),
  max_header_list_size: settingParameter(0, MAX_UINT32, 'Header section.'),
  enable_connect_protocol: settingParameter(0, 1, 'Extended CONNECT.'),
};

function settingParameter(min: number, max: number, description: string) {
  return described(description, optional(int({ min, max }), undefined));
}

/** @param max maximum in seconds */
function timeoutParameter(max: number) {
  return described(
    'For the acknowledgement.',
    optional(duration(max), Math.min(DEFAULT_TIMEOUT, max)),
  );
}

function sessionOf({ stream, version }: Request): SessionControl {
  if (stream) return stream.session;
  throw new Problem('fault-unavailable', `${version} has neither SETTINGS nor PING`);
}

/** Limits SETTINGS_INITIAL_WINDOW_SIZE, and so the content that the server may have to buffer. @throws Problem */
function checkWindow(size: number, { maxWindow }: SessionControl): void {
  if (size <= maxWindow) return;
  throw invalidParameter('initial_window_size', String(size), `exceeds ${maxWindow}`);
}

/** The response of `/h2/settings`. */
export const sentSettingsSchema = objectSchema('SentSettings', {
  settings: mapSchema(COUNT),
  acknowledged: BOOLEAN,
  time_ms: nullable(NUMBER),
});

/** @param maxDuration maximum timeout in seconds */
export function http2Settings(maxDuration: number) {
  return endpoint({
    path: '/h2/settings',
    group: 'faults',
    summary: 'Sends SETTINGS, and responds after their acknowledgement.',
    query: { ...settingQuery, timeout: timeoutParameter(maxDuration) },
    exampleQuery: 'max_concurrent_streams=1',
    curl: "curl -sS --http2-prior-knowledge 'localhost:8080/h2/settings?max_concurrent_streams=1'",
    responses: {
      200: jsonResponse('Acknowledged or not.', sentSettingsSchema),
    },
    async handle({ request, query: { timeout, ...given } }) {
      const settings = new Map<Http2SettingName, number>();
      for (const [name, number] of settingEntries(given)) {
        if (number !== undefined) settings.set(name, number);
      }
      const session = sessionOf(request);
      checkWindow(given.initial_window_size ?? 0, session);
      const time = await session.sendSettings(settings, timeout * SECOND);
      return json({
        settings: Object.fromEntries(settings),
        acknowledged: time !== undefined,
        time_ms: time === undefined ? null : rounded(time),
      });
    },
  });
}

type Given = Readonly<Record<Http2SettingName, number | undefined>>;

function settingEntries(given: Given): [Http2SettingName, number | undefined][] {
  return [
    ['header_table_size', given.header_table_size],
    ['max_concurrent_streams', given.max_concurrent_streams],
    ['initial_window_size', given.initial_window_size],
    ['max_frame_size', given.max_frame_size],
    ['max_header_list_size', given.max_header_list_size],
    ['enable_connect_protocol', given.enable_connect_protocol],
  ];
}

/** The response of `/h2/ping`. */
export const roundTripsSchema = objectSchema('RoundTrips', { times_ms: arrayOf(nullable(NUMBER)) });

/** @param maxDuration maximum timeout in seconds */
export function http2Ping(maxDuration: number) {
  return endpoint({
    path: '/h2/ping',
    group: 'faults',
    summary: 'Sends PING, and responds with the round-trip times.',
    query: {
      count: described('Number of PINGs.', optional(int({ min: 1, max: MAX_PINGS }), 1)),
      timeout: timeoutParameter(maxDuration),
    },
    exampleQuery: 'count=3',
    curl: "curl -sS --http2-prior-knowledge 'localhost:8080/h2/ping?count=3'",
    responses: {
      200: jsonResponse('The last is null without an acknowledgement in time.', roundTripsSchema),
    },
    async handle({ request, query: { count, timeout } }) {
      const session = sessionOf(request);
      const times: (number | null)[] = [];
      while (times.length < count && times.at(-1) !== null) {
        const time = await session.ping(timeout * SECOND);
        times.push(time === undefined ? null : rounded(time));
      }
      return json({ times_ms: times });
    },
  });
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * SECOND) / SECOND;
}
