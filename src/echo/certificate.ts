import { X509Certificate } from 'node:crypto';
import { parseJson } from '../http/json-content.ts';
import type { NegotiatedTls } from '../net/negotiated-tls.ts';
import type { TlsView } from './echo-schema.ts';

/** The view of a certificate (RFC 5280). */
export function certificateView(certificate: X509Certificate) {
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
 * The view of the certificates that the client sent, in order. The chain is verified as a whole, so all have the same
 * result.
 */
export function clientCertificatesView({
  clientCertificates,
  clientError,
}: NegotiatedTls): TlsView['client_certs'] {
  const result = { authorized: clientError === undefined, error: clientError ?? null };
  const chain = clientCertificates?.chain ?? [];
  return chain.map((der) => Object.assign(certificateView(new X509Certificate(der)), result));
}

/** A distinguished name in one line. Node puts each attribute on a line, and returns undefined for an empty name. */
function distinguishedName(lines: string | undefined): string {
  return (lines ?? '').split('\n').join(', ');
}

/** Splits alternative names, which Node joins by commas. Ambiguous ones are JSON strings. */
function alternativeNames(joined: string | undefined): string[] {
  const names = joined?.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? [];
  return names.map((name) => {
    const text = name.trim();
    const quote = text.indexOf('"');
    return quote < 0 ? text : text.slice(0, quote) + unquote(text.slice(quote));
  });
}

function unquote(text: string): string {
  try {
    return String(parseJson(text));
  } catch {
    return text;
  }
}

/** A time in ISO 8601. An invalid one is returned unchanged, because certificates are untrusted input. */
function timestamp(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
