import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

/** What there is to say of a certificate (RFC 5280). */
export function certificateView(certificate: X509Certificate): Record<string, unknown> {
  return {
    subject: distinguishedName(certificate.subject),
    issuer: distinguishedName(certificate.issuer),
    subject_alt_names: alternativeNames(certificate.subjectAltName),
    serial_number: certificate.serialNumber,
    not_before: timestamp(certificate.validFrom),
    not_after: timestamp(certificate.validTo),
    sha256: certificate.fingerprint256,
    der_length: certificate.raw.length,
    pem: certificate.toString(),
  };
}

/**
 * The client's certificates, its own first, each followed by its issuer as far as they are known.
 * The verdict is one for the whole chain, so each entry has the same.
 */
export function clientCertificatesView(tls: TLSSocket): Record<string, unknown>[] {
  const { authorized } = tls;
  const verdict = { authorized, error: authorized ? null : String(tls.authorizationError) };
  return peerChain(tls).map((certificate) => Object.assign(certificateView(certificate), verdict));
}

/**
 * The client's certificate and its issuers, none without one. A certificate that is its own issuer
 * ends the chain, and so does one that was there before.
 */
export function peerChain(tls: TLSSocket): X509Certificate[] {
  // Without a certificate Node still sets `authorizationError`: only the certificate itself tells.
  if (!tls.getPeerX509Certificate()) return [];
  const chain = new Map<string, X509Certificate>();
  let link: Link | undefined = tls.getPeerCertificate(true);
  while (link?.raw && !chain.has(link.fingerprint256)) {
    chain.set(link.fingerprint256, new X509Certificate(link.raw));
    link = link.issuerCertificate;
  }
  return [...chain.values()];
}

/** As Node gives it, whatever its types say: an unknown issuer is not there. */
interface Link {
  readonly raw?: Buffer;
  readonly fingerprint256: string;
  readonly issuerCertificate?: Link;
}

/** Node puts each attribute on a line of its own; an empty name it does not give at all. */
function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').join(', ');
}

/** Node joins with a comma, and makes a JSON string of a name that could be mistaken then. */
function alternativeNames(joined: string | undefined): string[] {
  const names = joined?.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  return names.map((name) => name.trim().replace(/"(?:[^"\\]|\\.)*"$/, unquoted));
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}

/** ISO 8601; a time that is none is shown as it is, for certificates come from strangers. */
function timestamp(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
