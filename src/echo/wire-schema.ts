import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  INTEGER,
  NUMBER,
  objectSchema,
  oneOf,
  openShape,
  shape,
  TEXT,
} from '../server/schema.ts';

const LINE_END = enumOf('crlf', 'lf', 'none');
const SENDER = enumOf('client', 'server');

const fieldSchema = objectSchema(
  'WireField',
  {
    offset: COUNT,
    name: TEXT,
    value: TEXT,
    end: LINE_END,
    notes: { ...arrayOf(TEXT), description: 'What RFC 9112 does not allow.' },
    invalid_at: COUNT,
  },
  ['notes', 'invalid_at'],
);

/** JA4H in its forms; on HTTP/2 also the fingerprint of Akamai. */
const fingerprintsSchema = {
  title: 'Fingerprints',
  ...openShape({ ja4h: TEXT, ja4h_r: TEXT, ja4h_o: TEXT, ja4h_ro: TEXT }),
};

const messageSchema = objectSchema(
  'WireMessage',
  {
    number: COUNT,
    offset: COUNT,
    length: COUNT,
    at_ms: NUMBER,
    head_at_ms: NUMBER,
    end_at_ms: NUMBER,
    head: TEXT,
    head_length: COUNT,
    head_left_out: COUNT,
    head_complete: BOOLEAN,
    tls_records: shape({ first: COUNT, last: COUNT }),
    line: shape({ offset: COUNT, method: TEXT, target: TEXT, version: TEXT, end: LINE_END }, [
      'target',
      'version',
    ]),
    fields: arrayOf(fieldSchema),
    head_end: LINE_END,
    content: {
      ...openShape({
        framing: enumOf('none', 'length', 'chunked', 'until-close', 'unknown'),
        received: COUNT,
      }),
      description: 'Other members are those of the framing.',
    },
    trailers: shape(
      { offset: COUNT, text: TEXT, text_left_out: COUNT, fields: arrayOf(fieldSchema) },
      ['text_left_out'],
    ),
    ahead_of_responses: COUNT,
    refused_at: COUNT,
    fingerprints: fingerprintsSchema,
  },
  [
    'length',
    'head_at_ms',
    'end_at_ms',
    'head_left_out',
    'head_complete',
    'tls_records',
    'content',
    'trailers',
    'ahead_of_responses',
    'refused_at',
  ],
);

const violationSchema = shape({
  scope: enumOf('connection', 'stream'),
  reason: TEXT,
  section: TEXT,
  code: TEXT,
});

const frameSchema = {
  ...openShape({
    from: SENDER,
    type: TEXT,
    flags: arrayOf(TEXT),
    stream: COUNT,
    length: COUNT,
    offset: COUNT,
    at_ms: NUMBER,
  }),
  description: 'Other members are those of the type.',
};

const streamSchema = objectSchema(
  'WireStream',
  {
    stream: COUNT,
    state: enumOf('open', 'half-closed (remote)', 'half-closed (local)', 'closed'),
    data_received: COUNT,
    content_length: COUNT,
    windows: shape({ to_server: INTEGER, to_client: INTEGER }),
    above_limit: BOOLEAN,
    reset: shape({ by: SENDER, frame: enumOf('RST_STREAM', 'GOAWAY'), code: TEXT }),
    rejected: BOOLEAN,
    refusals: arrayOf(violationSchema),
    refusals_left_out: COUNT,
    frames: arrayOf(frameSchema),
    left_out: COUNT,
    fingerprints: fingerprintsSchema,
  },
  ['content_length', 'above_limit', 'reset', 'rejected', 'refusals', 'refusals_left_out'],
);

/** The `wire` object of the echo: the request as sent, on HTTP/1.x and HTTP/2. */
export const wireSchema = oneOf(shape({ missing: TEXT }), messageSchema, streamSchema);
