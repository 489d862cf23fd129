import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { Connection } from '../net/connection.ts';

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
 * The certificates that the client has sent, in its order. The verdict is one for all of them, so each
 * entry has the same.
 */
export function clientCertificatesView(
  { clientCertificates }: Connection,
  { authorized, authorizationError }: TLSSocket,
): Record<string, unknown>[] {
  const verdict = { authorized, error: authorized ? null : String(authorizationError) };
  const chain = clientCertificates?.chain ?? [];
  return chain.map((der) => Object.assign(certificateView(new X509Certificate(der)), verdict));
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
