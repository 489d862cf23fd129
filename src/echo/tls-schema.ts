import {
  arrayOf,
  BOOLEAN,
  COUNT,
  nullable,
  objectSchema,
  TEXT,
  type Infer,
} from '../server/schema.ts';

const clientCertificateSchema = objectSchema('ClientCertificate', {
  subject: TEXT,
  issuer: TEXT,
  subject_alt_names: arrayOf(TEXT),
  serial_number: TEXT,
  not_before: TEXT,
  not_after: TEXT,
  sha256: TEXT,
  der_length: COUNT,
  pem: TEXT,
  authorized: BOOLEAN,
  error: { ...nullable(TEXT), description: 'Why it is not authorized.' },
});

/** The `tls` object of the echo. */
export const tlsSchema = objectSchema('Tls', {
  version: nullable(TEXT),
  cipher_suite: nullable(TEXT),
  alpn: nullable(TEXT),
  client_cert_present: BOOLEAN,
  client_certs: arrayOf(clientCertificateSchema),
  client_certs_complete: BOOLEAN,
  sni: nullable(TEXT),
  session_reused: BOOLEAN,
  ja3: nullable(TEXT),
  ja3_hash: nullable(TEXT),
  ja4: nullable(TEXT),
});

export type TlsView = Infer<typeof tlsSchema>;
