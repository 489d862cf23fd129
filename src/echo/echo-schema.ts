import {
  mapSchema,
  objectSchema,
  TEXT,
  stringOrStrings,
  type JsonSchema,
} from '../server/schema.ts';
import { http2Schema } from './http2-schema.ts';

const NUMBER: JsonSchema = { type: 'number' };
const POSITIVE: JsonSchema = { type: 'integer', minimum: 1 };

const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const BOOLEAN: JsonSchema = { type: 'boolean' };

/** The first TLV of each known type has its own member. */
const OTHER_TLVS: JsonSchema = {
  type: 'array',
  items: objectSchema('Tlv', { type: TEXT, value: TEXT }),
  description: 'All other TLVs, with values in base64.',
};

const sslSchema = objectSchema(
  'ProxySsl',
  {
    client: objectSchema('ProxySslClient', {
      ssl: BOOLEAN,
      cert_conn: BOOLEAN,
      cert_sess: BOOLEAN,
    }),
    verify: { type: 'integer', minimum: 0, description: '0 if the certificate was verified.' },
    version: TEXT,
    cn: TEXT,
    cipher: TEXT,
    sig_alg: TEXT,
    key_alg: TEXT,
    group: TEXT,
    sig_scheme: TEXT,
    tlvs: OTHER_TLVS,
  },
  ['version', 'cn', 'cipher', 'sig_alg', 'key_alg', 'group', 'sig_scheme', 'tlvs'],
);

export const proxyProtocolSchema = objectSchema(
  'ProxyProtocol',
  {
    version: { enum: [1, 2] },
    command: { enum: ['PROXY', 'LOCAL'] },
    family: { enum: ['inet', 'inet6', 'unix', 'unspec'] },
    transport: { enum: ['stream', 'dgram', 'unspec'] },
    source: TEXT_OR_NULL,
    destination: TEXT_OR_NULL,
    peer: { ...TEXT, description: 'The peer of the TCP connection.' },
    alpn: TEXT,
    authority: TEXT,
    crc32c: { ...TEXT, description: 'Verified against the header.' },
    unique_id: TEXT,
    ssl: sslSchema,
    netns: TEXT,
    tlvs: OTHER_TLVS,
  },
  ['alpn', 'authority', 'crc32c', 'unique_id', 'ssl', 'netns', 'tlvs'],
);

const connSchema = objectSchema(
  'Conn',
  {
    id: TEXT,
    worker: { ...POSITIVE, description: 'The worker that responds, if there are several.' },
    protocol: {
      enum: ['http/1.0', 'http/1.1', 'https/1.0', 'https/1.1', 'h2', 'h2c'],
      description: 'The transport, with the HTTP version of this request.',
    },
    request: { ...POSITIVE, description: '1 for the first request of the connection.' },
    stream: { ...POSITIVE, description: 'HTTP/2 only.' },
    open_streams: { ...POSITIVE, description: 'HTTP/2 only.' },
    age_ms: NUMBER,
    remote: { ...TEXT, description: "The client's address, from a PROXY header if present." },
    local: TEXT,
    proxy_protocol: proxyProtocolSchema,
  },
  ['worker', 'stream', 'open_streams', 'proxy_protocol'],
);

const RAW_FIELDS: JsonSchema = {
  type: 'array',
  items: { type: 'array', items: TEXT },
  description: 'Name and value of each field line as sent, one character per byte.',
};

/** Describes the result of `echo()`. */
export const echoSchema: JsonSchema = objectSchema(
  'Echo',
  {
    method: TEXT,
    http_version: { enum: ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0'] },
    url: TEXT,
    path: { ...TEXT, description: 'As sent, neither decoded nor normalized.' },
    query: { ...TEXT, description: 'As sent.' },
    args: mapSchema(stringOrStrings()),
    headers: { ...mapSchema(TEXT), description: 'By lowercase name, with combined field lines.' },
    raw_headers: RAW_FIELDS,
    origin: TEXT,
    body: TEXT,
    body_encoding: { enum: ['utf8', 'base64'] },
    data: TEXT,
    form: {
      ...mapSchema(stringOrStrings()),
      description: 'Also empty if the form has more than 50,000 pairs; it is in `data` then.',
    },
    files: mapSchema(stringOrStrings()),
    json: {
      description:
        'The value if the body is JSON; also null if it would take more than 8 MiB when indented.',
    },
    trailers: { ...mapSchema(TEXT), description: 'Like `headers`, if there are trailers.' },
    raw_trailers: RAW_FIELDS,
    timing: { type: 'object', properties: { duration_ms: NUMBER }, required: ['duration_ms'] },
    conn: connSchema,
    tls: { type: 'object', description: 'TLS only.' },
    http2: { ...http2Schema, description: 'HTTP/2 only.' },
    connection: { ...TEXT, description: 'Only if the query has `connection=close`.' },
  },
  ['trailers', 'raw_trailers', 'tls', 'http2', 'connection'],
);
