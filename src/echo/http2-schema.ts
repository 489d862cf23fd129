import { objectSchema, TEXT, type JsonSchema } from '../server/schema.ts';

const BOOLEAN: JsonSchema = { type: 'boolean' };
const NATURAL: JsonSchema = { type: 'integer', minimum: 0 };
const WINDOW: JsonSchema = { type: 'integer' };

const fingerprint = {
  akamai_fingerprint: { ...TEXT, description: 'HTTP/2 fingerprint in the format of Akamai.' },
  akamai_fingerprint_hash: { ...TEXT, description: 'MD5 of the fingerprint.' },
};

const completeness = {
  complete: {
    ...BOOLEAN,
    description:
      'Whether all frames up to the first HEADERS were captured. If not, the fingerprint may lack PRIORITY frames.',
  },
  reason: { ...TEXT, description: 'Why frames are missing.' },
};

/** The `http2` object of the echo. */
export const http2Schema: JsonSchema = objectSchema('Http2', {
  ...fingerprint,
  first_flight: objectSchema('FirstFlightSeen', completeness, ['reason']),
});

const frameSchema = objectSchema(
  'Frame',
  {
    type: TEXT,
    flags: TEXT,
    stream: NATURAL,
    length: NATURAL,
    exclusive: BOOLEAN,
    depends_on: NATURAL,
    weight: { type: 'integer', minimum: 1, maximum: 256 },
    increment: NATURAL,
    prioritized_stream: NATURAL,
    priority: TEXT,
  },
  ['exclusive', 'depends_on', 'weight', 'increment', 'prioritized_stream', 'priority'],
);

const windowsSchema = objectSchema('Windows', {
  connection: objectSchema('ConnectionWindows', { to_client: WINDOW, to_server: WINDOW }),
  stream: objectSchema('StreamWindows', { initial_to_client: WINDOW, to_server: WINDOW }),
});

/** The response of `/http2`, created by `http2Details()`. */
export const http2DetailsSchema: JsonSchema = objectSchema(
  'Http2Story',
  {
    http2: {
      ...objectSchema(
        'Http2Facts',
        {
          ...fingerprint,
          settings: {
            type: 'array',
            items: objectSchema('Setting', { name: TEXT, id: TEXT, value: NATURAL }),
            description: "The client's settings, in order.",
          },
          window_update: {
            ...NATURAL,
            description: "The client's first connection WINDOW_UPDATE.",
          },
          first_flight: {
            ...objectSchema(
              'FirstFlight',
              { ...completeness, frames: { type: 'array', items: frameSchema } },
              ['reason'],
            ),
            description: 'The first frames, up to the first HEADERS.',
          },
          pseudo_headers: {
            type: 'array',
            items: TEXT,
            description: 'In the order of the request.',
          },
          priority: { type: ['string', 'null'], description: 'The Priority field (RFC 9218).' },
          stream: NATURAL,
          open_streams: NATURAL,
          windows: {
            ...windowsSchema,
            description: 'Current flow-control windows in bytes (RFC 9113 6.9).',
          },
        },
        ['windows'],
      ),
      type: ['object', 'null'],
    },
    reason: TEXT,
  },
  ['reason'],
);
