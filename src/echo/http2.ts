import type { Request } from '../server/request.ts';
import { fieldValue, type FieldLines } from '../http/fields.ts';
import type { Connection } from '../net/connection.ts';
import { akamaiFingerprint, md5 } from '../net/fingerprints.ts';
import { parseClientPreface, type ClientPreface, type Frame } from '../net/client-preface.ts';
import { DEFAULT_WINDOW, FrameType } from '../wire/http2/frame.ts';
import {
  parseWindowIncrement,
  parsePriority,
  parsePriorityUpdate,
  parseSettings,
} from '../wire/http2/frame-payload.ts';
import { frameTypeName, settingName } from '../wire/http2/names.ts';
import {
  arrayOf,
  BOOLEAN,
  COUNT,
  INTEGER,
  mapSchema,
  nullable,
  objectSchema,
  TEXT,
  type Infer,
} from '../server/schema.ts';
import { hex } from '../wire/tls/names.ts';

const fingerprintProperties = {
  akamai_fingerprint: { ...TEXT, description: 'HTTP/2 fingerprint in the format of Akamai.' },
  akamai_fingerprint_hash: { ...TEXT, description: 'MD5 of the fingerprint.' },
};

const completenessProperties = {
  complete: {
    ...BOOLEAN,
    description:
      'Whether all frames up to the first HEADERS were captured. If not, the fingerprint may lack PRIORITY frames.',
  },
  reason: { ...TEXT, description: 'Why frames are missing.' },
};

/** The `http2` object of the echo. */
export const http2Schema = objectSchema('Http2', {
  ...fingerprintProperties,
  first_flight: objectSchema('FirstFlightSeen', completenessProperties, ['reason']),
});
type Http2View = Infer<typeof http2Schema>;

const frameSchema = objectSchema(
  'Frame',
  {
    type: TEXT,
    flags: TEXT,
    stream: COUNT,
    length: COUNT,
    exclusive: BOOLEAN,
    depends_on: COUNT,
    weight: { ...COUNT, minimum: 1, maximum: 256 },
    increment: COUNT,
    prioritized_stream: COUNT,
    priority: TEXT,
  },
  ['exclusive', 'depends_on', 'weight', 'increment', 'prioritized_stream', 'priority'],
);
type FrameView = Infer<typeof frameSchema>;

const windowsSchema = objectSchema('Windows', {
  connection: objectSchema('ConnectionWindows', { to_client: INTEGER, to_server: INTEGER }),
  stream: objectSchema('StreamWindows', { initial_to_client: INTEGER, to_server: INTEGER }),
});

const factsSchema = objectSchema(
  'Http2Facts',
  {
    ...fingerprintProperties,
    settings: {
      ...arrayOf(objectSchema('Setting', { name: TEXT, id: TEXT, value: COUNT })),
      description: "The client's settings, in order.",
    },
    server_settings: {
      ...mapSchema(nullable(COUNT)),
      description: "wirebin's, as acknowledged; null is not limited.",
    },
    window_update: { ...COUNT, description: "The client's first connection WINDOW_UPDATE." },
    first_flight: {
      ...objectSchema('FirstFlight', { ...completenessProperties, frames: arrayOf(frameSchema) }, [
        'reason',
      ]),
      description: 'The first frames, up to the first HEADERS.',
    },
    pseudo_headers: { ...arrayOf(TEXT), description: 'In the order of the request.' },
    priority: { ...nullable(TEXT), description: 'The Priority field (RFC 9218).' },
    stream: COUNT,
    open_streams: COUNT,
    windows: {
      ...windowsSchema,
      description: 'Current flow-control windows in bytes (RFC 9113 6.9).',
    },
  },
  ['server_settings', 'windows'],
);

/** The response of `/http2`. */
export const http2DetailsSchema = objectSchema(
  'Http2Story',
  { http2: nullable(factsSchema), reason: TEXT },
  ['reason'],
);

const UNLIMITED = 2 ** 32 - 1;

/** Caches the view. The order of pseudo-header fields rarely changes within a connection. */
const cache = new WeakMap<Connection, { order: string; view: Http2View }>();

/** The `http2` object of the echo; undefined on HTTP/1.x. */
export function http2View(request: Request): Http2View | undefined {
  return request.stream && cachedView(request);
}

function cachedView({ fields, connection }: Request): Http2View {
  const names = pseudoHeaders(fields);
  const order = names.join();
  const cached = cache.get(connection);
  if (cached?.order === order) return cached.view;
  const preface = parseClientPreface(connection.clientPreface);
  const fingerprint = akamaiFingerprint(preface.frames, incrementOf(preface, connection), names);
  const view = {
    akamai_fingerprint: fingerprint,
    akamai_fingerprint_hash: md5(fingerprint),
    first_flight: completenessOf(preface),
  };
  cache.set(connection, { order, view });
  return view;
}

/** The HTTP/2 facts of a request: the client's first frames and the current state. */
export function http2Details(request: Request): Infer<typeof http2DetailsSchema> {
  const { stream, fields, connection, version } = request;
  if (!stream) return { http2: null, reason: `the request uses ${version}` };
  const preface = parseClientPreface(connection.clientPreface);
  const settings = preface.frames.find(({ type }) => type === FrameType.settings);
  const windows = stream.windows();
  const serverSettings = stream.session.acknowledgedSettings;
  return {
    http2: {
      ...cachedView(request),
      // Always captured: nghttp2 accepts at most 32 settings, which are 192 bytes.
      settings: (settings ? parseSettings(settings) : []).map(({ id, value }) => ({
        name: settingName(id),
        id: hex(id),
        value,
      })),
      ...(serverSettings && { server_settings: limitsOf(serverSettings) }),
      window_update: incrementOf(preface, connection),
      first_flight: { ...completenessOf(preface), frames: preface.frames.map(frameView) },
      pseudo_headers: pseudoHeaders(fields),
      priority: fieldValue(fields, 'priority') ?? null,
      stream: stream.id,
      open_streams: stream.open,
      windows: windows && {
        connection: {
          to_client: windows.connection.toClient,
          to_server: windows.connection.toServer,
        },
        stream: {
          initial_to_client: windows.stream.initialToClient,
          to_server: windows.stream.toServer,
        },
      },
    },
  };
}

/** The settings, null where they limit nothing: initially two have no value (RFC 9113 6.5.2), which is 2^32 - 1 in Node. */
function limitsOf(settings: Readonly<Record<string, number>>): Record<string, number | null> {
  const entries = Object.entries(settings);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value < UNLIMITED ? value : null]),
  );
}

/** Whether the fingerprint is reliable: it lacks PRIORITY frames that were not captured. */
function completenessOf({ missing }: ClientPreface): Http2View['first_flight'] {
  return missing === undefined ? { complete: true } : { complete: false, reason: missing };
}

/** The client's first WINDOW_UPDATE of the connection. If not captured, computed from the window. */
function incrementOf({ frames }: ClientPreface, { firstSendWindow }: Connection): number {
  const update = frames.find(({ type, stream }) => type === FrameType.windowUpdate && stream === 0);
  if (update) return parseWindowIncrement(update);
  return firstSendWindow === undefined ? 0 : firstSendWindow - DEFAULT_WINDOW;
}

function pseudoHeaders(lines: FieldLines): string[] {
  const names: string[] = [];
  for (let at = 0; lines[at]?.startsWith(':'); at += 2) names.push(lines[at] ?? '');
  return names;
}

function frameView(frame: Frame): FrameView {
  const { type, flags, stream, length } = frame;
  return {
    type: frameTypeName(type),
    flags: hex(flags, 1),
    stream,
    length,
    ...payloadView(frame),
  };
}

/** The payload of frames that are not shown elsewhere in the view. */
function payloadView(frame: Frame): Partial<FrameView> {
  switch (frame.type) {
    case FrameType.headers:
    case FrameType.priority: {
      const priority = parsePriority(frame);
      if (!priority) return {};
      const { exclusive, dependsOn, weight } = priority;
      return { exclusive, depends_on: dependsOn, weight };
    }
    case FrameType.windowUpdate:
      return { increment: parseWindowIncrement(frame) };
    case FrameType.priorityUpdate: {
      const { stream, value } = parsePriorityUpdate(frame);
      return { prioritized_stream: stream, priority: value };
    }
    default:
      return {};
  }
}
