import { X509Certificate } from 'node:crypto';
import type { Request } from '../../server/request.ts';
import type { Connection } from '../../net/connection.ts';
import type { NegotiatedTls } from '../../net/negotiated-tls.ts';
import { cachePerConnection, serverName } from '../../echo/tls.ts';
import { goHeader, goHost } from '../go-fields.ts';

/** Where the service runs in Kubernetes; empty strings if that is not configured. */
export interface PodContext {
  readonly namespace: string;
  readonly ingress: string;
  readonly service: string;
  readonly pod: string;
}

/** The request in the format of the Gateway API conformance client, keys in echo-basic's order. */
export function gatewayEcho(request: Request, pod: PodContext): Record<string, unknown> {
  const { rawTarget, target, method, version, fields, connection } = request;
  return {
    path: rawTarget,
    host: goHost(target?.authority, fields),
    method,
    proto: version,
    headers: goHeader(fields),
    httpPort: String(connection.localPort),
    namespace: pod.namespace,
    ingress: pod.ingress,
    service: pod.service,
    pod: pod.pod,
    ...(connection.tls && { tls: gatewayTls(connection, connection.tls) }),
  };
}

/** The `tls` object. */
export const gatewayTls = cachePerConnection((connection: Connection, tls: NegotiatedTls) => {
  const { version, alpn, cipherSuite } = tls;
  const chain = tls.clientCertificates?.chain ?? [];
  return {
    // Node calls TLS 1.0 TLSv1, Go TLSv1.0.
    version: version === 'TLSv1' ? 'TLSv1.0' : version,
    ...(chain.length > 0 && {
      peerCertificates: chain.map((der) => new X509Certificate(der).toString()),
    }),
    serverName: serverName(connection) ?? '',
    ...(alpn !== undefined && { negotiatedProtocol: alpn }),
    cipherSuite: cipherSuite ?? '',
  };
});
