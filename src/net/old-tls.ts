import { createSecureContext, DEFAULT_CIPHERS, type SecureVersion } from 'node:tls';

const OLD_VERSIONS: ReadonlySet<SecureVersion> = new Set(['TLSv1', 'TLSv1.1']);

/**
 * The cipher list that makes the minimum version work; undefined for Node's default. TLS 1.0 and 1.1 sign with MD5 and
 * SHA-1, which OpenSSL allows only at security level 0 (SSL_CTX_set_security_level).
 */
export function ciphersFor(
  minVersion: SecureVersion,
  ciphers: string | undefined,
): string | undefined {
  const list = ciphers ?? DEFAULT_CIPHERS;
  const needsLevel0 = OLD_VERSIONS.has(minVersion) && securityLevel(list) === undefined;
  return needsLevel0 && hasOldSuites(list) ? `${list}:@SECLEVEL=0` : ciphers;
}

/** Why TLS 1.0 and 1.1 cannot work, although the minimum version allows them; undefined if they can. */
export function oldTlsObstacle(
  minVersion: SecureVersion,
  ciphers = DEFAULT_CIPHERS,
): string | undefined {
  if (!OLD_VERSIONS.has(minVersion)) return undefined;
  const level = securityLevel(ciphers) ?? 0;
  if (level > 0) return `@SECLEVEL=${level} forbids them; they need @SECLEVEL=0`;
  return hasOldSuites(ciphers) ? undefined : 'it has no cipher suite for them';
}

/** The security level that a cipher list sets. The last one applies. */
function securityLevel(ciphers: string): number | undefined {
  const level = ciphers.match(/(?<=@SECLEVEL=)\d/g)?.at(-1);
  return level === undefined ? undefined : Number(level);
}

/** Whether a cipher list contains suites for versions before TLS 1.2. */
function hasOldSuites(ciphers: string): boolean {
  try {
    createSecureContext({ ciphers: `${ciphers}:!TLSv1.2` });
    return true;
  } catch {
    return false;
  }
}
