import {
  arrayOf,
  BOOLEAN,
  COUNT,
  INTEGER,
  mapSchema,
  nullable,
  objectSchema,
  shape,
  TEXT,
  type Infer,
} from '../server/schema.ts';

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

export type Http2View = Infer<typeof http2Schema>;

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

export type FrameView = Infer<typeof frameSchema>;

const windowsSchema = objectSchema('Windows', {
  connection: shape({ to_client: INTEGER, to_server: INTEGER }),
  stream: shape({ initial_to_client: INTEGER, to_server: INTEGER }),
});

const factsSchema = objectSchema(
  'Http2Facts',
  {
    ...fingerprintProperties,
    settings: {
      ...arrayOf(objectSchema('Setting', { name: TEXT, id: TEXT, value: COUNT })),
      description: "Those of the client's first SETTINGS, in order.",
    },
    server_settings: {
      ...mapSchema(nullable(COUNT)),
      description: "wirebin's, as acknowledged; null is not limited.",
    },
    window_update: {
      ...COUNT,
      description:
        "Increment of the client's first WINDOW_UPDATE of the connection; 0 without one.",
    },
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

/** Response of `/http2`. */
export const http2DetailsSchema = objectSchema(
  'Http2Story',
  { http2: nullable(factsSchema), reason: TEXT },
  ['reason'],
);

export type Http2Details = Infer<typeof http2DetailsSchema>;
