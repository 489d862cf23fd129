import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { ciphersFor } from '../../net/old-tls.ts';
import { settings } from '../../settings/settings.ts';
import type { Reach } from './reach.ts';

/** Connects by TLS. The certificate is not verified, because the service runs on this machine. */
export async function openTls(socket: Socket, reach: Reach, protocol: string): Promise<Socket> {
  const minVersion = settings.tlsMin.read(reach.tlsMin ?? '') ?? settings.tlsMin.default;
  const ciphers = ciphersFor(minVersion, reach.tlsCiphers);
  const secure = connect({
    socket,
    rejectUnauthorized: false,
    minVersion,
    maxVersion: settings.tlsMax.read(reach.tlsMax ?? '') ?? settings.tlsMax.default,
    ALPNProtocols: [protocol],
    ...(ciphers !== undefined && { ciphers }),
  });
  await once(secure, 'secureConnect');
  return secure;
}

/** Whether the service has ended the handshake, or later the connection, by an alert. */
export function isTlsAlert(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^ERR_SSL_.*ALERT/.test(String(error.code));
}
