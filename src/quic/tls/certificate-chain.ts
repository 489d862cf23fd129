import { X509Certificate, type KeyObject } from 'node:crypto';
import { attempt } from './attempt.ts';
import { alertError } from './failure.ts';

/** How a client verifies the server's certificate. */
export interface CertificateCheck {
  /** Trust anchors. */
  readonly ca: readonly X509Certificate[];
  /** DNS name or IP address that the certificate must be for. */
  readonly host: string;
}

const SECTION = 'RFC 9846 4.5.1.3';
/** Maximum number of certificates that are read; further ones are ignored. */
const MAX_CHAIN = 16;
/** Extended key usages of which one must be there if there are any (RFC 5280 4.2.1.12). */
const SERVER_USAGES = ['1.3.6.1.5.5.7.3.1', '2.5.29.37.0'];

/** @param chain in DER, the end entity's first. @throws HandshakeError */
export function parseChain(chain: readonly Uint8Array[]): readonly X509Certificate[] {
  return chain.slice(0, MAX_CHAIN).map((der) => {
    const certificate = attempt(() => new X509Certificate(der));
    // X509Certificate also reads PEM, and ignores what follows.
    if (!certificate?.raw.equals(der))
      throw alertError('bad_certificate', 'RFC 9846 4.5.1', 'a certificate cannot be decoded');
    return certificate;
  });
}

/** @throws HandshakeError if node:crypto cannot use the key */
export function publicKeyOf(certificate: X509Certificate): KeyObject {
  const key = attempt(() => certificate.publicKey);
  if (!key)
    throw alertError('unsupported_certificate', SECTION, 'the key of the certificate is not known');
  return key;
}

/**
 * Verifies name, validity, purpose and path of a server's certificate. Name constraints, policies and revocation are not
 * checked.
 *
 * @param chain the end entity's certificate first, the others in any order
 * @param now milliseconds since the epoch
 * @throws HandshakeError
 */
export function verifyChain(
  chain: readonly X509Certificate[],
  { ca, host }: CertificateCheck,
  now: number,
): void {
  const [leaf, ...others] = chain;
  if (!leaf) throw alertError('decode_error', SECTION, 'there is no certificate');
  // For a DNS name, checkIP throws.
  if (!leaf.checkHost(host) && !attempt(() => leaf.checkIP(host)))
    throw alertError('certificate_unknown', SECTION, `the certificate is not for ${host}`);
  if (!isValidAt(leaf, now))
    throw alertError('certificate_expired', SECTION, 'the certificate is expired or not yet valid');
  if (leaf.keyUsage && !SERVER_USAGES.some((usage) => leaf.keyUsage.includes(usage)))
    throw alertError('unsupported_certificate', SECTION, 'the certificate is not for servers');
  if (!hasPath(leaf, others, ca, now))
    throw alertError('unknown_ca', SECTION, 'no path from the certificate to a trusted CA');
}

/** Whether a path leads to a trust anchor. Each certificate is tried once, so their number bounds the work. */
function hasPath(
  leaf: X509Certificate,
  others: readonly X509Certificate[],
  ca: readonly X509Certificate[],
  now: number,
): boolean {
  const trusted = new Set(ca.map(({ fingerprint256 }) => fingerprint256));
  const untried = new Set(others);
  const reached = [leaf];
  for (let next = reached.pop(); next; next = reached.pop()) {
    const subject = next;
    if (trusted.has(subject.fingerprint256)) return true;
    if (ca.some((issuer) => isIssuedBy(subject, issuer, now))) return true;
    for (const issuer of untried) {
      if (!isIssuedBy(subject, issuer, now)) continue;
      untried.delete(issuer);
      reached.push(issuer);
    }
  }
  return false;
}

function isIssuedBy(subject: X509Certificate, issuer: X509Certificate, now: number): boolean {
  return (
    issuer.ca &&
    subject.checkIssued(issuer) &&
    isValidAt(issuer, now) &&
    attempt(() => subject.verify(issuer.publicKey)) === true
  );
}

function isValidAt({ validFrom, validTo }: X509Certificate, now: number): boolean {
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}
