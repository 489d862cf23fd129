import {
  arrayOf,
  BOOLEAN,
  COUNT,
  enumOf,
  FIELD_LINES,
  nullable,
  NUMBER,
  oneOf,
  shape,
  TEXT,
  type Infer,
  type JsonSchema,
} from '../../server/schema.ts';

const connectionProperties = {
  // The worker, if there are several.
  worker: COUNT,
  time: TEXT,
  conn: TEXT,
  protocol: nullable(TEXT),
  remote: TEXT,
};

const handshakeProperties = {
  group: nullable(TEXT),
  hello_retry_request: nullable(BOOLEAN),
  sni: nullable(TEXT),
  ja3n_hash: nullable(TEXT),
  ja4: nullable(TEXT),
  alpn_offered: nullable(arrayOf(TEXT)),
  versions_offered: nullable(arrayOf(TEXT)),
  duration_ms: NUMBER,
};

/** An event of a connection. */
function event<
  const Kind extends string,
  P extends Readonly<Record<string, JsonSchema>>,
  Optional extends keyof P & string = never,
>(kind: Kind, properties: P, optional: readonly Optional[] = []) {
  const all = { kind: enumOf(kind), ...connectionProperties, ...properties };
  return shape(all, ['worker', ...optional]);
}

/** An event of `/tap`. */
export const tapEventSchema = oneOf(
  event('opened', {}),
  event('handshake', {
    version: nullable(TEXT),
    cipher_suite: nullable(TEXT),
    alpn: nullable(TEXT),
    session_reused: BOOLEAN,
    ...handshakeProperties,
  }),
  event('handshake_failed', { reason: TEXT, code: TEXT, ...handshakeProperties }, ['code']),
  event(
    'request',
    {
      request: COUNT,
      stream: COUNT,
      method: TEXT,
      path: TEXT,
      query: TEXT,
      target_length: COUNT,
      status: nullable(COUNT),
      // Of a gRPC call: the name of its status, or the number if it has none.
      grpc_status: TEXT,
      octets: COUNT,
      complete: BOOLEAN,
      error_code: TEXT,
      timing: shape({ answered_ms: nullable(NUMBER), duration_ms: NUMBER }),
      raw_headers: FIELD_LINES,
      raw_headers_left_out: COUNT,
    },
    ['stream', 'target_length', 'grpc_status', 'error_code', 'raw_headers_left_out'],
  ),
  event(
    'rejected',
    {
      stream: COUNT,
      reason: TEXT,
      code: TEXT,
      method: nullable(TEXT),
      path: nullable(TEXT),
      query: nullable(TEXT),
      bytes: nullable(TEXT),
    },
    ['stream', 'code', 'method', 'path', 'query', 'bytes'],
  ),
  event('closed', {
    by: enumOf('client', 'wirebin', 'error'),
    reason: TEXT,
    requests: COUNT,
    octets_received: COUNT,
    octets_sent: COUNT,
    duration_ms: NUMBER,
  }),
  // Further members are those of records in `/connections/{id}`.
  { ...event('record', {}), additionalProperties: {} },
  { ...event('frame', {}), additionalProperties: {} },
  shape({ kind: enumOf('lost'), worker: COUNT, count: COUNT, first: TEXT, last: TEXT }, ['worker']),
  shape({ kind: enumOf('end'), reason: enumOf('draining', 'duration') }),
);

export type TapEvent = Infer<typeof tapEventSchema>;
