import { mapSchema, objectSchema, TEXT, TEXT_OR_TEXTS, type JsonSchema } from '../http/schema.ts';

const NUMBER: JsonSchema = { type: 'number' };
const POSITIVE: JsonSchema = { type: 'integer', minimum: 1 };

const connSchema = objectSchema(
  'Conn',
  {
    id: TEXT,
    worker: { ...POSITIVE, description: 'The process that answers, where there are several.' },
    protocol: { enum: ['http/1.1', 'https/1.1', 'h2', 'h2c'] },
    request: { ...POSITIVE, description: '1 for the first on the connection.' },
    stream: { ...POSITIVE, description: 'HTTP/2 only.' },
    open_streams: { ...POSITIVE, description: 'HTTP/2 only.' },
    age_ms: NUMBER,
    remote: TEXT,
    local: TEXT,
  },
  ['worker', 'stream', 'open_streams'],
);

/** What the echo object is, for the documents; `echo` makes it. */
export const echoSchema: JsonSchema = objectSchema(
  'Echo',
  {
    method: TEXT,
    http_version: { enum: ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0'] },
    url: TEXT,
    path: { ...TEXT, description: 'As sent: nothing decoded, nothing normalised.' },
    query: { ...TEXT, description: 'As sent.' },
    args: mapSchema(TEXT_OR_TEXTS),
    headers: { ...mapSchema(TEXT), description: 'By lower-case name, lines joined.' },
    raw_headers: {
      type: 'array',
      items: { type: 'array', items: TEXT },
      description: 'Name and value of each line as sent, one character an octet.',
    },
    origin: TEXT,
    body: TEXT,
    body_encoding: { enum: ['utf8', 'base64'] },
    data: TEXT,
    form: mapSchema(TEXT_OR_TEXTS),
    files: mapSchema(TEXT_OR_TEXTS),
    json: {
      description:
        'The value where the content is JSON; null too where indenting it would take over 8 MiB.',
    },
    timing: { type: 'object', properties: { duration_ms: NUMBER }, required: ['duration_ms'] },
    conn: connSchema,
    tls: { type: 'object', description: 'Over TLS only.' },
    connection: { ...TEXT, description: 'Only with `connection=close` in the query.' },
  },
  ['tls', 'connection'],
);
