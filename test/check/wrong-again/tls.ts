import { constants } from 'node:crypto';
import type { TlsDeviation } from '../_gateway-tls.ts';
import { issue } from '../../_certificates.ts';
import { differs, type WrongProxy } from '../_wrong.ts';
import { wrongOriginTls, wrongTls } from '../wrong/tls.ts';

const ALERT = 21;
const HANDSHAKE = 22;

/** Sends an alert, and closes the connection. */
function alerting(
  level: number,
  description: number,
  isSo: (hello: Buffer) => boolean,
): TlsDeviation {
  let greeted = false;
  return {
    greeting: (first) => {
      greeted = isSo(first);
      return greeted ? Buffer.from([ALERT, 3, 3, 0, 2, level, description]) : Buffer.alloc(0);
    },
    ...(level === 2 && { record: (record) => (greeted ? undefined : record) }),
  };
}

const hasUnknownName = (hello: Buffer): boolean =>
  hello.includes('.') && !hello.includes('localhost') && hello.length > 200;

const recordLength = (bytes: Buffer): number => (bytes.length < 5 ? 0 : bytes.readUInt16BE(3));

const expired = await issue('localhost', { expired: true, host: 'localhost' });
const named = await issue('localhost', { host: 'gateway.example' });
const wildcard = await issue('localhost', { host: '*.localhost' });

/** Gateways that do wrong things in handshakes. */
export const wrongTlsAgain: readonly WrongProxy[] = [
  wrongTls('negotiates TLS 1.0 with one cipher suite', ['tls/version-1.0', 'tls/version-1.1'], {
    options: {
      minVersion: 'TLSv1',
      ciphers: 'ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:AES256-SHA:@SECLEVEL=0',
    },
  }),
  wrongTls('has the downgrade marker of TLS 1.1 in TLS 1.2', 'tls/downgrade', {
    record: (record) => {
      const at = record.indexOf('DOWNGRD\u0001', 'latin1');
      if (record[0] === HANDSHAKE && at !== -1) record[at + 7] = 0;
      return record;
    },
  }),
  wrongTls('wants the header of a record in the first segment', 'tls/hello-segments', {
    closes: (first) => first.length < 6,
  }),
  wrongTls('wants half of a ClientHello in the first segment', 'tls/hello-segments', {
    closes: (first) => first.length < recordLength(first) / 2,
  }),
  wrongTls('wants the header of a ClientHello in the first record', 'tls/hello-records', {
    closes: (first) => first.length >= 5 && recordLength(first) < 44,
  }),
  wrongTls(
    'refuses an unknown name with handshake_failure',
    'tls/sni-unknown',
    alerting(2, 40, hasUnknownName),
  ),
  wrongTls(
    'refuses an unknown name with internal_error',
    'tls/sni-unknown',
    alerting(2, 80, hasUnknownName),
  ),
  wrongTls('refuses unknown protocols with handshake_failure', differs('tls/alpn-unknown'), {
    record: (record) => {
      if (record[0] === ALERT && record[6] === 120) record[6] = 40;
      return record;
    },
  }),
  wrongTls('warns of unknown protocols', differs('tls/alpn-unknown'), {
    record: (record) => {
      if (record[0] === ALERT && record[6] === 120) record[5] = 1;
      return record;
    },
  }),
  wrongTls('closes the connection at unknown protocols', differs('tls/alpn-unknown'), {
    record: (record) => (record[0] === ALERT && record[6] === 120 ? undefined : record),
  }),
  wrongTls('refuses clients without ALPN', differs('tls/alpn-none'), {
    closes: (first) => !first.includes('http/1.1') && !first.includes('h2'),
  }),
  wrongTls('sends close_notify only in TLS 1.2', 'tls/close-notify', {
    record: (record) => (record[0] === 23 && record.length === 24 ? undefined : record),
  }),
  wrongTls('resumes sessions of TLS 1.2 only', 'tls/resumption', {
    options: { secureOptions: constants.SSL_OP_NO_TICKET },
  }),
  wrongTls('has a certificate that has expired', 'tls/certificate-name', { options: expired }),
  wrongTls('has the name of the host as its common name only', 'tls/certificate-name', {
    options: named,
  }),
  wrongTls('has a wildcard for names below the host', 'tls/certificate-name', {
    options: wildcard,
  }),
  wrongOriginTls('sends the origin a name with a port', 'tls/origin-sni', {
    servername: 'localhost:8443',
  }),
  wrongOriginTls('sends the origin a name of another client', 'tls/origin-sni', {
    servername: 'previous.example',
  }),
];
