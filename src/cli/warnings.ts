import type { Settings } from '../settings/settings.ts';
import { allowsAnyRedirect } from '../dialects/all.ts';
import { isDisabled } from '../endpoints/all.ts';
import { weaknessesOf } from './node-release.ts';
import { isWorldReadable } from '../net/certificates.ts';
import { oldTlsObstacle } from '../net/old-tls.ts';

/**
 * What the log is to warn of once the service listens, as sentences.
 *
 * @param version as `process.versions.node` has it
 * @param now milliseconds since the epoch
 */
export async function warningsOf(
  { tlsKey, tlsKeylog, tlsMin, tlsCiphers, dialect, allowedRedirectDomains, disable }: Settings,
  version: string,
  now: number,
): Promise<string[]> {
  const warnings = weaknessesOf(version, now);
  // No refusal: what mounts secrets in containers often gives every file this mode.
  if (tlsKey !== undefined && (await isWorldReadable(tlsKey))) {
    warnings.push(`${tlsKey} is a private key that every user of this machine can read`);
  }
  if (tlsKeylog !== undefined) {
    warnings.push(`${tlsKeylog} gets the TLS secrets: with them every connection can be read`);
  }
  const obstacle = oldTlsObstacle(tlsMin, tlsCiphers);
  if (obstacle !== undefined) {
    warnings.push(
      `no client can speak TLS 1.0 or 1.1, whatever --tls-min says: --tls-ciphers stands in the way, for ${obstacle}`,
    );
  }
  if (allowsAnyRedirect(dialect, allowedRedirectDomains) && !isDisabled('/redirect-to', disable)) {
    warnings.push(
      `/redirect-to leads anywhere, as that of ${dialect} does, so that links to this host can end at any other; --allowed-redirect-domains lists where it may lead, --disable /redirect-to turns it off`,
    );
  }
  return warnings;
}
