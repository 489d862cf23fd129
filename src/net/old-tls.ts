import { createSecureContext, DEFAULT_CIPHERS, type SecureVersion } from 'node:tls';

const OLD_VERSIONS: ReadonlySet<SecureVersion> = new Set(['TLSv1', 'TLSv1.1']);

/**
 * The cipher list with which the least version can be spoken; undefined is Node's. TLS 1.0 and 1.1 sign
 * with MD5 and SHA-1, which OpenSSL allows only at its security level 0 (SSL_CTX_set_security_level).
 */
export function ciphersFor(
  minVersion: SecureVersion,
  ciphers: string | undefined,
): string | undefined {
  const list = ciphers ?? DEFAULT_CIPHERS;
  const needsLevel0 = OLD_VERSIONS.has(minVersion) && securityLevel(list) === undefined;
  return needsLevel0 && hasOldSuites(list) ? `${list}:@SECLEVEL=0` : ciphers;
}

/** Why no client can speak TLS 1.0 or 1.1 though it is the least version; else undefined. */
export function oldTlsObstacle(
  minVersion: SecureVersion,
  ciphers = DEFAULT_CIPHERS,
): string | undefined {
  if (!OLD_VERSIONS.has(minVersion)) return undefined;
  const level = securityLevel(ciphers) ?? 0;
  if (level > 0) return `@SECLEVEL=${level} forbids them, and they need 0`;
  return hasOldSuites(ciphers) ? undefined : 'it has no suite for them';
}

/** The security level that the list sets; the last one counts. */
function securityLevel(ciphers: string): number | undefined {
  const level = ciphers.match(/(?<=@SECLEVEL=)\d/g)?.at(-1);
  return level === undefined ? undefined : Number(level);
}

/** Whether anything is left without the suites that need at least TLS 1.2. */
function hasOldSuites(ciphers: string): boolean {
  try {
    createSecureContext({ ciphers: `${ciphers}:!TLSv1.2` });
    return true;
  } catch {
    return false;
  }
}
