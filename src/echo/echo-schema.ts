import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  FIELD_LINES,
  mapSchema,
  NULL,
  NUMBER,
  nullable,
  objectSchema,
  oneOf,
  shape,
  stringOrStrings,
  TEXT,
  type Infer,
} from '../server/schema.ts';
import { explainedSchema, fieldNamesSchema } from './explained-schema.ts';
import { http2Schema } from './http2-schema.ts';
import { wireSchema } from './wire-schema.ts';

/** TLVs without a member of their own: the first one of each known type has one. */
const OTHER_TLVS = {
  ...arrayOf(objectSchema('Tlv', { type: TEXT, value: TEXT })),
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
    verify: { ...COUNT, description: '0 if the certificate was verified.' },
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
    version: enumOf(1, 2),
    command: enumOf('PROXY', 'LOCAL'),
    family: enumOf('inet', 'inet6', 'unix', 'unspec'),
    transport: enumOf('stream', 'dgram', 'unspec'),
    source: nullable(TEXT),
    destination: nullable(TEXT),
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

export const DIGEST_FIELDS = ['content-digest', 'repr-digest'] as const;

const digestCheckSchema = objectSchema(
  'Digest',
  {
    field: enumOf(...DIGEST_FIELDS),
    section: enumOf('header', 'trailer'),
    algorithm: { ...nullable(TEXT), description: 'null if the field is malformed.' },
    expected: { ...TEXT, description: 'The digest that was sent, or a malformed field.' },
    actual: { ...nullable(TEXT), description: 'The digest of the content.' },
    match: { ...nullable(BOOLEAN), description: 'null if it cannot be checked.' },
    reason: { ...TEXT, description: 'Why it cannot be checked.' },
  },
  ['reason'],
);

export const digestSchema = {
  ...arrayOf(digestCheckSchema),
  description: 'Digests of the request (RFC 9530), in base64, if there are any.',
};

const traceSchema = objectSchema(
  'Trace',
  {
    valid: BOOLEAN,
    reason: { ...TEXT, description: 'Why it is to be ignored.' },
    trace_id: TEXT,
    parent_id: TEXT,
    sampled: BOOLEAN,
    state: { ...arrayOf(TEXT), description: 'Members of tracestate, if it is valid.' },
  },
  ['reason', 'trace_id', 'parent_id', 'sampled', 'state'],
);

export const certificateProperties = {
  subject: TEXT,
  issuer: TEXT,
  subject_alt_names: arrayOf(TEXT),
  serial_number: TEXT,
  not_before: TEXT,
  not_after: TEXT,
  sha256: TEXT,
  der_length: COUNT,
  pem: TEXT,
};

export const clientCertificateSchema = objectSchema('ClientCertificate', {
  ...certificateProperties,
  authorized: BOOLEAN,
  error: { ...nullable(TEXT), description: 'Why it is not authorized.' },
});

export const codePoint = { name: TEXT, id: TEXT };
export const codePointSchema = objectSchema('CodePoint', codePoint);

export const tlsProperties = {
  version: nullable(TEXT),
  cipher_suite: nullable(TEXT),
  group: { ...oneOf(codePointSchema, NULL), description: 'Of the key exchange.' },
  group_reason: { ...TEXT, description: 'Why `group` is null.' },
  hello_retry_request: { ...nullable(BOOLEAN), description: 'Whether one was sent.' },
  alpn: nullable(TEXT),
  client_cert_present: BOOLEAN,
  client_certs: arrayOf(clientCertificateSchema),
  client_certs_complete: BOOLEAN,
  sni: nullable(TEXT),
  session_reused: BOOLEAN,
  ja3: nullable(TEXT),
  ja3_hash: nullable(TEXT),
  ja3n: nullable(TEXT),
  ja3n_hash: nullable(TEXT),
  ja4: nullable(TEXT),
};

export const tlsOptional = ['group_reason'] as const;

export const tlsSchema = objectSchema('Tls', tlsProperties, tlsOptional);

const POSITIVE = { ...COUNT, minimum: 1 };
/** Values by name. */
const GROUPED = mapSchema(stringOrStrings());

/** Protocols of requests that reach endpoints. Others are refused. */
export const REQUEST_PROTOCOLS = [
  'http/1.0',
  'http/1.1',
  'https/1.0',
  'https/1.1',
  'h2',
  'h2c',
] as const;
export const HTTP_VERSIONS = ['HTTP/1.0', 'HTTP/1.1', 'HTTP/2.0'] as const;

export const connSchema = objectSchema(
  'Conn',
  {
    id: TEXT,
    worker: { ...POSITIVE, description: 'The worker that responds, if there are several.' },
    protocol: {
      ...enumOf(...REQUEST_PROTOCOLS),
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

const RAW_FIELDS = {
  ...FIELD_LINES,
  description: 'Name and value of each field line as sent, one character per byte.',
};

/** Response of endpoints that echo the request. */
export const echoSchema = objectSchema(
  'Echo',
  {
    method: TEXT,
    http_version: enumOf(...HTTP_VERSIONS),
    url: TEXT,
    path: { ...TEXT, description: 'As sent, neither decoded nor normalized.' },
    query: { ...TEXT, description: 'As sent.' },
    args: GROUPED,
    headers: { ...mapSchema(TEXT), description: 'By lowercase name, with combined field lines.' },
    raw_headers: RAW_FIELDS,
    origin: TEXT,
    body: TEXT,
    body_encoding: enumOf('utf8', 'base64'),
    data: TEXT,
    form: {
      ...GROUPED,
      description:
        'Also empty if the form has more than 50,000 pairs, 10,000 different names or 5,000 parts; it is in `data` then.',
    },
    files: GROUPED,
    json: {
      description:
        'The value if the body is JSON; also null if it has more than 150,000 members and elements, 10,000 different names or 10,000 members in objects of other shapes than its first 100, 20,000 numbers with large exponents or many digits, or would take more than 8 MiB of indentation.',
    },
    trailers: { ...mapSchema(TEXT), description: 'Like `headers`, if there are trailers.' },
    raw_trailers: RAW_FIELDS,
    digest: digestSchema,
    trace: traceSchema,
    timing: shape({ duration_ms: NUMBER }),
    instance: { ...TEXT, description: 'The name of the service, if it has one.' },
    process: { ...TEXT, description: 'New with every start.' },
    conn: connSchema,
    tls: { ...tlsSchema, description: 'TLS only.' },
    http2: { ...http2Schema, description: 'HTTP/2 only.' },
    wire: {
      ...wireSchema,
      description:
        'The request as sent, byte by byte or frame by frame, or why it is `missing`; with --inspect only.',
    },
    explained: explainedSchema,
    field_names: fieldNamesSchema,
    connection: { ...TEXT, description: 'Only if the query has `connection=close`.' },
  },
  [
    'trailers',
    'raw_trailers',
    'digest',
    'trace',
    'instance',
    'tls',
    'http2',
    'wire',
    'explained',
    'field_names',
    'connection',
  ],
);

/** The echo: the request as received, and its connection. */
export type Echo = Infer<typeof echoSchema>;

export type TlsView = NonNullable<Echo['tls']>;
