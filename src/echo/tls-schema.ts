import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  mapSchema,
  NULL,
  nullable,
  objectSchema,
  oneOf,
  openShape,
  shape,
  TEXT,
  type Infer,
} from '../server/schema.ts';
import {
  certificateProperties,
  codePoint,
  codePointSchema,
  tlsOptional,
  tlsProperties,
} from './echo-schema.ts';

const codePoints = arrayOf(codePointSchema);
const offered = nullable(codePoints);
const extensionSchema = objectSchema(
  'Extension',
  {
    ...codePoint,
    length: COUNT,
    content: { ...openShape({}), description: 'What it says; each extension has its own members.' },
    data: {
      ...TEXT,
      description: 'The first 256 bytes in hexadecimal, if they are not shown by name.',
    },
    data_left_out: COUNT,
    malformed: { ...BOOLEAN, description: '`data` is not what the extension has to have.' },
  },
  ['content', 'data', 'data_left_out', 'malformed'],
);

/** An extension as the client has sent it. */
export type ExtensionView = Infer<typeof extensionSchema>;

const sizedPoints = arrayOf(objectSchema('SizedCodePoint', { ...codePoint, length: COUNT }));

/** What a client offers, in its order; null for what it has not sent. */
const helloSchema = objectSchema('ClientHello', {
  legacy_version: codePointSchema,
  supported_versions: offered,
  cipher_suites: codePoints,
  compression_methods: codePoints,
  extensions: arrayOf(extensionSchema),
  server_name: nullable(TEXT),
  alpn: nullable(arrayOf(TEXT)),
  supported_groups: offered,
  key_shares: nullable(sizedPoints),
  point_formats: offered,
  signature_algorithms: offered,
  signature_algorithms_cert: offered,
  psk_modes: offered,
  psk_identity_lengths: nullable(arrayOf(COUNT)),
  session_id_length: COUNT,
  session_ticket_length: nullable(COUNT),
  early_data: BOOLEAN,
  ech: oneOf(enumOf('outer', 'inner'), NULL),
  padding_length: nullable(COUNT),
  grease: mapSchema(arrayOf(TEXT)),
});

export type ClientHelloView = Infer<typeof helloSchema>;

/** Read from the bytes that were sent, or derived from OpenSSL's rules. */
const knownBy = enumOf('bytes', 'rule');

const serverHelloSchema = objectSchema('ServerHello', {
  known_by: knownBy,
  legacy_version: codePointSchema,
  session_id: { ...enumOf('echoed', 'new', 'empty'), description: "`echoed` is the client's." },
  extensions: codePoints,
});

const serverKeyExchangeSchema = objectSchema('ServerKeyExchange', {
  known_by: knownBy,
  signature_scheme: codePointSchema,
});

const factsSchema = objectSchema(
  'TlsFacts',
  {
    ...tlsProperties,
    ja4_r: TEXT,
    ja4_o: TEXT,
    ja4_ro: TEXT,
    // Without its offers if it is too large to keep, null if it is invalid.
    client_hello: oneOf(helloSchema, shape({ length: COUNT, left_out: TEXT }), NULL),
    server_hello: oneOf(serverHelloSchema, NULL),
    server_key_exchange: {
      ...oneOf(serverKeyExchangeSchema, NULL),
      description: 'Only in TLS 1.2 with ECDHE.',
    },
    post_quantum: shape({ offered: BOOLEAN, negotiated: nullable(BOOLEAN) }),
    server_cert: nullable(shape(certificateProperties)),
  },
  [...tlsOptional, 'ja4_r', 'ja4_o', 'ja4_ro'],
);

/** The response of `/tls`. */
export const tlsDetailsSchema = objectSchema(
  'TlsStory',
  { tls: nullable(factsSchema), reason: TEXT },
  ['reason'],
);

export type TlsDetails = Infer<typeof tlsDetailsSchema>;

/** ServerHello and ServerKeyExchange of wirebin; null for what was not sent, or is not known. */
export type ServerFlightView = Pick<
  Infer<typeof factsSchema>,
  'server_hello' | 'server_key_exchange'
>;
