import { http2View } from '../../echo/http2.ts';
import { tlsView } from '../../echo/tls.ts';
import { fieldValue } from '../../http/fields.ts';
import { hostPort } from '../../http/ip-address.ts';
import { listMembers } from '../../http/syntax.ts';
import { protocolOf } from '../../net/connection.ts';
import { clientAddress } from '../../server/forwarding.ts';
import type { Request } from '../../server/request.ts';
import { parseTimeout, receivedValues } from '../../wire/grpc/fields.ts';
import { field, message, optional, repeated, type Message } from '../../wire/protobuf/message.ts';
import { BOOL, BYTES, DOUBLE, STRING, UINT32 } from '../../wire/protobuf/types.ts';
import type { Call } from '../call.ts';

export const Metadata = message(
  'wirebin.v1.Metadata',
  {
    name: field(1, STRING),
    value: field(2, STRING, 'One character for each byte.'),
    binary: optional(3, BYTES, 'Decoded, if the name ends in -bin.'),
  },
  'An entry of metadata. Of a request, a field line as it arrived, or a binary value of a line with several.',
);
export const EchoRequest = message('wirebin.v1.EchoRequest', {
  message: field(1, STRING, 'Any text.'),
  payload: field(2, BYTES, 'Any bytes.'),
});
const Connection = message('wirebin.v1.Connection', {
  id: field(1, STRING),
  worker: field(2, UINT32, 'The worker that responds, if there are several.'),
  protocol: field(3, STRING, 'h2, h2c, https/1.1 or http/1.1.'),
  request: field(4, UINT32, '1 for the first request of the connection.'),
  stream: field(5, UINT32, 'HTTP/2 only.'),
  open_streams: field(6, UINT32, 'HTTP/2 only.'),
  age_ms: field(7, DOUBLE),
  remote: field(8, STRING, "The client's address, from a PROXY header if present."),
  local: field(9, STRING),
});
const Tls = message('wirebin.v1.Tls', {
  version: field(1, STRING),
  cipher_suite: field(2, STRING),
  alpn: field(3, STRING),
  sni: field(4, STRING),
  session_reused: field(5, BOOL),
  client_certs: repeated(6, BYTES, 'In DER, in the order of the client.'),
  ja3: field(7, STRING),
  ja3_hash: field(8, STRING),
  ja4: field(9, STRING),
  ja3n: field(10, STRING, 'JA3 with sorted extensions.'),
  ja3n_hash: field(11, STRING),
  group: field(12, STRING, 'Of the key exchange; empty without one.'),
});
const Http2 = message('wirebin.v1.Http2', {
  akamai_fingerprint: field(1, STRING),
  akamai_fingerprint_hash: field(2, STRING),
});
export const EchoResponse = message(
  'wirebin.v1.EchoResponse',
  {
    method: field(1, STRING, 'The path, such as /wirebin.v1.Wirebin/Echo.'),
    http_version: field(2, STRING),
    authority: field(3, STRING),
    metadata: repeated(4, Metadata, 'All field lines in order, those of the protocol too.'),
    timeout_ms: optional(5, DOUBLE, 'The value of grpc-timeout.'),
    encoding: field(6, STRING, 'grpc-encoding.'),
    accept_encoding: repeated(7, STRING, 'grpc-accept-encoding.'),
    compressed: field(8, BOOL, 'Whether the message was compressed.'),
    request: field(9, EchoRequest),
    origin: field(10, STRING, 'The address of the client, as a trusted proxy says.'),
    duration_ms: field(11, DOUBLE, 'Since the header section was complete.'),
    instance: field(12, STRING, 'The name of the service, if it has one.'),
    process: field(13, STRING, 'New with every start.'),
    connection: field(14, Connection),
    tls: field(15, Tls, 'TLS only.'),
    http2: field(16, Http2, 'HTTP/2 only.'),
  },
  'The call as received, and its connection.',
);

export const echoMessages = [EchoRequest, EchoResponse, Metadata, Connection, Tls, Http2] as const;

/** The echo of a call. */
export function echoOf(
  given: Message<typeof EchoRequest>,
  { request, isCompressed }: Pick<Call<unknown, unknown>, 'request' | 'isCompressed'>,
): Message<typeof EchoResponse> {
  const { connection, fields } = request;
  const timeout = fieldValue(fields, 'grpc-timeout');
  return {
    method: request.rawTarget,
    http_version: request.version,
    authority: request.target?.authority ?? fieldValue(fields, ':authority'),
    metadata: Array.from(receivedValues(fields), ([name, value, binary]) => ({
      name,
      value,
      ...(binary && { binary }),
    })),
    timeout_ms: timeout === undefined ? undefined : parseTimeout(timeout),
    encoding: fieldValue(fields, 'grpc-encoding'),
    accept_encoding: listMembers(fieldValue(fields, 'grpc-accept-encoding') ?? ''),
    compressed: isCompressed,
    request: given,
    origin: clientAddress(request),
    duration_ms: performance.now() - request.receivedAt,
    instance: connection.instance,
    process: connection.process,
    connection: {
      id: connection.id,
      worker: connection.worker,
      protocol: protocolOf(request),
      request: request.requestNumber,
      stream: request.stream?.id,
      open_streams: request.stream?.open,
      age_ms: performance.now() - connection.openedAt,
      remote: hostPort(connection.remoteAddress, connection.remotePort),
      local: hostPort(connection.localAddress, connection.localPort),
    },
    tls: tlsOf(connection),
    http2: http2View(request),
  };
}

function tlsOf(connection: Request['connection']): Message<typeof Tls> | undefined {
  const view = tlsView(connection);
  if (!view) return undefined;
  return {
    version: view.version ?? undefined,
    cipher_suite: view.cipher_suite ?? undefined,
    alpn: view.alpn ?? undefined,
    sni: view.sni ?? undefined,
    session_reused: view.session_reused,
    client_certs: connection.tls?.clientCertificates?.chain,
    ja3: view.ja3 ?? undefined,
    ja3_hash: view.ja3_hash ?? undefined,
    ja4: view.ja4 ?? undefined,
    ja3n: view.ja3n ?? undefined,
    ja3n_hash: view.ja3n_hash ?? undefined,
    group: view.group?.name,
  };
}
