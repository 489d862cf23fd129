import { isUtf8 } from 'node:buffer';
import { gatewayTls, type PodContext } from '../../dialects/gateway-api/view.ts';
import { fieldPairs, fieldValue } from '../../http/fields.ts';
import type { Request } from '../../server/request.ts';
import { base64, withoutPadding } from '../../wire/grpc/fields.ts';
import { GrpcStatus } from '../../wire/grpc/status.ts';
import { field, message, repeated, type Message } from '../../wire/protobuf/message.ts';
import { STRING } from '../../wire/protobuf/types.ts';
import { unary, type ServedFile } from '../service.ts';

const PACKAGE = 'gateway_api_conformance.echo_basic.grpcecho';

const Header = message(`${PACKAGE}.Header`, { key: field(1, STRING), value: field(2, STRING) });
const Context = message(`${PACKAGE}.Context`, {
  namespace: field(1, STRING),
  ingress: field(2, STRING),
  service_name: field(3, STRING),
  pod: field(4, STRING),
});
const TLSAssertions = message(`${PACKAGE}.TLSAssertions`, {
  version: field(1, STRING),
  negotiated_protocol: field(2, STRING),
  server_name: field(3, STRING),
  cipher_suite: field(4, STRING),
  peer_certificates: repeated(5, STRING, 'In PEM.'),
});
const Assertions = message(`${PACKAGE}.Assertions`, {
  fully_qualified_method: field(1, STRING),
  headers: repeated(2, Header),
  authority: field(3, STRING),
  context: field(4, Context),
  tls_assertions: field(5, TLSAssertions),
});
const EchoRequest = message(`${PACKAGE}.EchoRequest`, {});
const EchoResponse = message(`${PACKAGE}.EchoResponse`, {
  assertions: field(1, Assertions),
  request: field(2, EchoRequest),
});

/** The service of echo-basic from the Gateway API conformance suite. EchoThree is unimplemented on purpose. */
export function grpcEcho(pod: PodContext): ServedFile {
  const echo = unary(EchoRequest, EchoResponse, (_, { request }) => ({
    assertions: assertions(request, pod),
  }));
  const unimplemented = unary(EchoRequest, EchoResponse, () => {
    throw new GrpcStatus('UNIMPLEMENTED', 'method EchoThree not implemented');
  });
  return {
    name: 'grpcecho.proto',
    package: PACKAGE,
    messages: [Header, Context, TLSAssertions, Assertions, EchoRequest, EchoResponse],
    services: [
      {
        name: `${PACKAGE}.GrpcEcho`,
        methods: { Echo: echo, EchoTwo: echo, EchoThree: unimplemented },
      },
    ],
  };
}

/** Fields that grpc-go does not hand on, apart from pseudo-header fields. */
const HIDDEN = new Set([
  'grpc-encoding',
  'grpc-message',
  'grpc-message-type',
  'grpc-status',
  'grpc-timeout',
  'host',
  'te',
]);

function assertions(request: Request, pod: PodContext): Message<typeof Assertions> {
  const { connection, fields, rawTarget } = request;
  const authority = fieldValue(fields, ':authority') ?? fieldValue(fields, 'host');
  const headers: Message<typeof Header>[] = authority
    ? [{ key: ':authority', value: authority }]
    : [];
  for (const [name, value] of fieldPairs(fields)) {
    const key = name.toLowerCase();
    if (!key.startsWith(':') && !HIDDEN.has(key)) headers.push({ key, value: text(key, value) });
  }
  const tls = connection.tls && gatewayTls(connection, connection.tls);
  return {
    fully_qualified_method: rawTarget,
    headers,
    authority,
    context: {
      namespace: pod.namespace,
      ingress: pod.ingress,
      service_name: pod.service,
      pod: pod.pod,
    },
    tls_assertions: tls && {
      version: tls.version ?? undefined,
      negotiated_protocol: tls.negotiatedProtocol,
      server_name: tls.serverName,
      cipher_suite: tls.cipherSuite,
      peer_certificates: tls.peerCertificates,
    },
  };
}

/** A value as grpc-go hands it on: decoded if its name ends in `-bin`, unless it is not base64 of UTF-8. */
function text(key: string, value: string): string {
  if (!key.endsWith('-bin')) return value;
  const bytes = Buffer.from(value, 'base64');
  const isText = isUtf8(bytes) && base64(bytes) === withoutPadding(value);
  return isText ? bytes.toString() : value;
}
