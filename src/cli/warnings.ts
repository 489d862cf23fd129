import type { Settings } from '../settings/settings.ts';
import { allowsAnyRedirect } from '../dialects/all.ts';
import { isDisabled } from '../endpoints/all.ts';
import { nodeReleaseWarning } from './node-release.ts';
import { isWorldReadable } from '../net/certificates.ts';
import { oldTlsObstacle } from '../net/old-tls.ts';

/**
 * Warnings that are logged when the service listens.
 *
 * @param version `process.versions.node`
 * @param now milliseconds since the epoch
 */
export async function startupWarnings(
  settings: Settings,
  version: string,
  now: number,
): Promise<string[]> {
  const { tlsKey, tlsKeylog, inspectFile, tlsMin, tlsCiphers } = settings;
  const { dialect, allowedRedirectDomains, allowRaw, disable } = settings;
  const nodeRelease = nodeReleaseWarning(version, now);
  const warnings = nodeRelease === undefined ? [] : [nodeRelease];
  // Only a warning, because container platforms often mount secrets with this mode.
  for (const file of tlsKey?.split(',') ?? []) {
    // oxlint-disable-next-line no-await-in-loop
    if (!(await isWorldReadable(file))) continue;
    warnings.push(`the private key ${file} is readable by every user of this machine`);
  }
  if (tlsKeylog !== undefined) {
    warnings.push(`TLS secrets are written to ${tlsKeylog}: they decrypt every connection`);
  }
  if (inspectFile !== undefined) {
    warnings.push(
      `every connection is written to ${inspectFile}, with the TLS secrets that decrypt it`,
    );
  }
  const obstacle = oldTlsObstacle(tlsMin, tlsCiphers);
  if (obstacle !== undefined) {
    warnings.push(
      `clients cannot use TLS 1.0 or 1.1 despite --tls-min, because of --tls-ciphers: ${obstacle}`,
    );
  }
  if (allowsAnyRedirect(dialect, allowedRedirectDomains) && !isDisabled('/redirect-to', disable)) {
    warnings.push(
      `/redirect-to redirects to any host, as in ${dialect}, so links to this host can lead anywhere; limit it with --allowed-redirect-domains or turn it off with --disable /redirect-to`,
    );
  }
  if (allowRaw) {
    warnings.push(
      'because of --allow-raw, everyone who can reach this port can forge its responses: scripts, cookies, and what proxies in front of it cache',
    );
  }
  return warnings;
}
