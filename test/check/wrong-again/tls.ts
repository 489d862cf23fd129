import { constants, createHash } from 'node:crypto';
import type { TlsDeviation } from '../_gateway-tls.ts';
import { issue } from '../../_certificates.ts';
import { valuesOf } from '../../../src/check/message.ts';
import type { OriginTls } from '../_gateway-origin.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { breaking, mapped, without, type Setup, type WrongProxy } from '../_wrong.ts';

const TLS: Setup = { scheme: 'https' };
const TLS_ORIGIN: Setup = { scheme: 'https', hasOriginTls: true };
const CERTIFICATE: Setup = { scheme: 'https', hasCertificate: true };

const wrongTls = (name: string, tls: TlsDeviation, turns: WrongProxy['turns']): WrongProxy => ({
  ...breaking(name, { tls }, turns),
  setup: TLS,
});
const wrongOriginTls = (
  name: string,
  originTls: OriginTls,
  turns: WrongProxy['turns'],
): WrongProxy => ({
  ...breaking(name, { originTls }, turns),
  setup: TLS_ORIGIN,
});
const wrongCertificate = (
  name: string,
  deviation: Deviation,
  turns: WrongProxy['turns'],
): WrongProxy => ({
  ...breaking(name, deviation, turns),
  setup: CERTIFICATE,
});

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
  wrongTls(
    'negotiates TLS 1.0 and 1.1',
    { options: { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' } },
    { 'tls/version-1.0': 'fail', 'tls/version-1.1': 'fail' },
  ),
  wrongTls(
    'negotiates TLS 1.0 with one cipher suite',
    {
      options: {
        minVersion: 'TLSv1',
        ciphers: 'ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:AES256-SHA:@SECLEVEL=0',
      },
    },
    { 'tls/version-1.0': 'fail', 'tls/version-1.1': 'fail' },
  ),
  wrongTls(
    'has the downgrade marker of TLS 1.1 in TLS 1.2',
    {
      record: (record) => {
        const at = record.indexOf('DOWNGRD\u0001', 'latin1');
        if (record[0] === HANDSHAKE && at !== -1) record[at + 7] = 0;
        return record;
      },
    },
    { 'tls/downgrade': 'fail' },
  ),
  wrongTls(
    'wants the header of a record in the first segment',
    { closes: (first) => first.length < 6 },
    { 'tls/hello-segments': 'fail' },
  ),
  wrongTls(
    'wants half of a ClientHello in the first segment',
    { closes: (first) => first.length < recordLength(first) / 2 },
    { 'tls/hello-segments': 'fail' },
  ),
  wrongTls(
    'wants the header of a ClientHello in the first record',
    { closes: (first) => first.length >= 5 && recordLength(first) < 44 },
    { 'tls/hello-records': 'fail' },
  ),
  wrongTls(
    'refuses a ClientHello of more than 2,048 bytes',
    { closes: (first) => recordLength(first) > 2048 },
    { 'tls/hello-large': 'fail' },
  ),
  wrongTls('refuses an unknown name with handshake_failure', alerting(2, 40, hasUnknownName), {
    'tls/sni-unknown': 'fail',
  }),
  wrongTls('refuses an unknown name with internal_error', alerting(2, 80, hasUnknownName), {
    'tls/sni-unknown': 'fail',
  }),
  wrongTls('warns of an unknown name, and goes on', alerting(1, 112, hasUnknownName), {
    'tls/sni-unknown': 'fail',
  }),
  wrongTls(
    'closes the connection at an unknown name',
    { closes: hasUnknownName },
    {
      'tls/sni-unknown': 'fail',
    },
  ),
  wrongTls(
    'refuses unknown protocols with handshake_failure',
    {
      record: (record) => {
        if (record[0] === ALERT && record[6] === 120) record[6] = 40;
        return record;
      },
    },
    { 'tls/alpn-unknown': 'differs' },
  ),
  wrongTls(
    'warns of unknown protocols',
    {
      record: (record) => {
        if (record[0] === ALERT && record[6] === 120) record[5] = 1;
        return record;
      },
    },
    { 'tls/alpn-unknown': 'differs' },
  ),
  wrongTls(
    'closes the connection at unknown protocols',
    { record: (record) => (record[0] === ALERT && record[6] === 120 ? undefined : record) },
    { 'tls/alpn-unknown': 'differs' },
  ),
  wrongTls(
    'selects the first protocol that a client offers, whatever it is',
    { options: { ALPNProtocols: undefined, ALPNCallback: ({ protocols }) => protocols[0] } },
    { 'tls/alpn-unknown': 'fail' },
  ),
  wrongTls(
    'selects the last protocol that a client offers',
    { options: { ALPNProtocols: undefined, ALPNCallback: ({ protocols }) => protocols.at(-1) } },
    { 'tls/alpn-h2': 'fail' },
  ),
  wrongTls(
    'refuses clients without ALPN',
    { closes: (first) => !first.includes('http/1.1') && !first.includes('h2') },
    { 'tls/alpn-none': 'differs' },
  ),
  wrongTls(
    'sends close_notify only in TLS 1.3',
    { record: (record) => (record[0] === ALERT && record.length > 7 ? undefined : record) },
    { 'tls/close-notify': 'fail' },
  ),
  wrongTls(
    'sends close_notify only in TLS 1.2',
    { record: (record) => (record[0] === 23 && record.length === 24 ? undefined : record) },
    { 'tls/close-notify': 'fail' },
  ),
  wrongTls(
    'resumes sessions of TLS 1.2 only',
    {
      options: { secureOptions: constants.SSL_OP_NO_TICKET },
    },
    { 'tls/resumption': 'fail' },
  ),
  wrongTls(
    'has a certificate that has expired',
    { options: expired },
    { 'tls/certificate-name': 'fail' },
  ),
  wrongTls(
    'has the name of the host as its common name only',
    { options: named },
    { 'tls/certificate-name': 'fail' },
  ),
  wrongTls(
    'has a wildcard for names below the host',
    { options: wildcard },
    { 'tls/certificate-name': 'fail' },
  ),
  wrongTls(
    'renegotiates',
    { renegotiates: true },
    {
      'tls/renegotiation': 'fail',
      'tls/renegotiation-h2': 'fail',
    },
  ),
  wrongOriginTls(
    'speaks TLS 1.2 to the origin',
    { maxVersion: 'TLSv1.2' },
    { 'tls/origin-version': 'fail' },
  ),
  wrongOriginTls(
    'sends the origin a name with a port',
    { servername: 'localhost:8443' },
    {
      'tls/origin-sni': 'fail',
    },
  ),
  wrongOriginTls(
    'sends the origin a name of another client',
    { servername: 'previous.example' },
    {
      'tls/origin-sni': 'fail',
    },
  ),
  wrongOriginTls(
    'sends the origin an empty name',
    { servername: '' },
    { 'tls/origin-sni': 'fail' },
  ),
];

const pem = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

/** Changes Client-Cert and Client-Cert-Chain. */
const certificateFields = (
  change: (own: string, chain: string | undefined) => Record<string, string>,
): Deviation => ({
  request: (request) => {
    const [own] = valuesOf(request.fields, 'client-cert');
    const [chain] = valuesOf(request.fields, 'client-cert-chain');
    if (own === undefined) return;
    request.fields = [
      ...without(request.fields, 'client-cert', 'client-cert-chain'),
      ...Object.entries(change(own, chain)),
    ];
  },
});

const bare = (value: string): string => value.replaceAll(':', '');

/** Gateways that say wrong things of the certificate of a client. */
export const wrongCertificates: readonly WrongProxy[] = [
  wrongCertificate(
    'sends the certificate of the authority in place of that of the client',
    certificateFields((own, chain = own) => ({ 'Client-Cert': chain })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'cuts the last byte of the certificate',
    certificateFields((own) => ({
      'Client-Cert': `:${Buffer.from(bare(own), 'base64').subarray(0, -1).toString('base64')}:`,
    })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'sends the certificate as base64url',
    certificateFields((own) => ({
      'Client-Cert': own.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'sends PEM as a byte sequence',
    certificateFields((own) => ({
      'Client-Cert': `:${Buffer.from(pem(bare(own))).toString('base64')}:`,
    })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'sends the certificate without colons',
    certificateFields((own) => ({ 'Client-Cert': bare(own) })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'sends the certificate as a quoted string',
    certificateFields((own) => ({ 'Client-Cert': `"${bare(own)}"` })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'sends the certificate twice',
    certificateFields((own) => ({ 'Client-Cert': `${own}, ${own}` })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'sends the certificate in two fields',
    certificateFields((own) => ({ 'Client-Cert': own, 'client-cert': own })),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrongCertificate(
    'sends the chain without the certificate',
    certificateFields((_own, chain = '') => ({ 'Client-Cert-Chain': chain })),
    { 'client-certificate/client-cert-chain': 'fail' },
  ),
  wrongCertificate(
    'sends the certificate in the chain, too',
    certificateFields((own, chain = '') => ({
      'Client-Cert': own,
      'Client-Cert-Chain': `${chain}, ${own}`,
    })),
    { 'client-certificate/client-cert-chain': 'fail' },
  ),
  wrongCertificate(
    'sends a chain of another client',
    certificateFields((own) => ({ 'Client-Cert': own, 'Client-Cert-Chain': ':AAEC:' })),
    { 'client-certificate/client-cert-chain': 'fail' },
  ),
  wrongCertificate(
    'sends the chain without colons',
    certificateFields((own, chain = '') => ({
      'Client-Cert': own,
      'Client-Cert-Chain': bare(chain),
    })),
    { 'client-certificate/client-cert-chain': 'fail' },
  ),
  wrongCertificate(
    'sends the certificate and the chain as one byte sequence',
    certificateFields((own, chain = '') => {
      const all = Buffer.concat([
        Buffer.from(bare(own), 'base64'),
        Buffer.from(bare(chain), 'base64'),
      ]);
      return { 'Client-Cert': own, 'Client-Cert-Chain': `:${all.toString('base64')}:` };
    }),
    { 'client-certificate/client-cert-chain': 'fail' },
  ),
  wrongCertificate(
    'has the hash of the client and the certificate of the authority in X-Forwarded-Client-Cert',
    certificateFields((own, chain = own) => ({
      'X-Forwarded-Client-Cert': `Hash=${hashOf(own)};Cert="${encodeURIComponent(pem(bare(chain)))}"`,
    })),
    { 'client-certificate/x-forwarded': 'fail' },
  ),
  wrongCertificate(
    'has the hash of the authority and the certificate of the client in X-Forwarded-Client-Cert',
    certificateFields((own, chain = own) => ({
      'X-Forwarded-Client-Cert': `Hash=${hashOf(chain)};Cert="${encodeURIComponent(pem(bare(own)))}"`,
    })),
    { 'client-certificate/x-forwarded': 'fail' },
  ),
  wrongCertificate(
    'has a right and a wrong element in X-Forwarded-Client-Cert',
    certificateFields((own, chain = own) => ({
      'X-Forwarded-Client-Cert': `Hash=${hashOf(own)},Hash=${hashOf(chain)}`,
    })),
    { 'client-certificate/x-forwarded': 'fail' },
  ),
  wrongCertificate(
    'has the SHA-1 of the client in X-Forwarded-Client-Cert',
    certificateFields((own) => ({
      'X-Forwarded-Client-Cert': `Hash=${hashOf(own, 'sha1')}`,
    })),
    { 'client-certificate/x-forwarded': 'fail' },
  ),
  ...[
    'X-SSL-Client-Cert',
    'X-Client-Cert',
    'SSL-Client-Cert',
    'X-Client-Certificate',
    'X-ARR-ClientCert',
    'X-Amzn-Mtls-Clientcert',
  ].map((name) =>
    wrongCertificate(
      `sends the certificate of the authority in ${name}`,
      certificateFields((own, chain = own) => ({ [name]: encodeURIComponent(pem(bare(chain))) })),
      { 'client-certificate/other-fields': 'fail' },
    ),
  ),
  wrongCertificate(
    'sends half of the certificate in X-SSL-Client-Cert',
    certificateFields((own) => ({
      'X-SSL-Client-Cert': encodeURIComponent(pem(bare(own).slice(0, 200))),
    })),
    { 'client-certificate/other-fields': 'fail' },
  ),
  wrongCertificate(
    'adds its value to a Client-Cert of the client',
    {
      keepsHopByHop: ['client-cert'],
      request: (request) => {
        const values = valuesOf(request.fields, 'client-cert');
        request.fields = [
          ...without(request.fields, 'client-cert'),
          ['Client-Cert', values.join(', ')],
        ];
      },
    },
    { 'client-certificate/spoofed': 'fail', 'client-certificate/spoofed-without': 'fail' },
  ),
  wrongCertificate(
    'replaces Client-Cert, and removes no Client-Cert-Chain',
    { keepsHopByHop: ['client-cert-chain'] },
    { 'client-certificate/spoofed': 'fail', 'client-certificate/spoofed-without': 'fail' },
  ),
  wrongCertificate(
    'removes Client-Cert in lower case only',
    {
      receive: (fields) =>
        fields.map(([name, value]) => [name === 'Client-Cert' ? 'Client_Cert' : name, value]),
      request: (request) => {
        request.fields = request.fields.map(([name, value]) => [
          name === 'Client_Cert' ? 'Client-Cert' : name,
          value,
        ]);
      },
    },
    { 'http/1.1 client-certificate/spoofed': 'fail', 'client-certificate/spoofed-without': 'fail' },
  ),
  wrongCertificate(
    'removes Client-Cert with capitals only',
    {
      receive: (fields) =>
        fields.map(([name, value]) => [name === 'client-cert' ? 'client_cert' : name, value]),
      request: (request) => {
        request.fields = request.fields.map(([name, value]) => [
          name === 'client_cert' ? 'client-cert' : name,
          value,
        ]);
      },
    },
    { 'h2 client-certificate/spoofed': 'fail' },
  ),
  wrongCertificate(
    'forwards a spelling of Client-Cert with an underscore',
    {
      receive: (fields) =>
        fields.map(([name, value]) => [/^client-cert$/i.test(name) ? 'Client_Cert' : name, value]),
    },
    { 'client-certificate/spoofed': 'fail', 'client-certificate/spoofed-without': 'fail' },
  ),
  {
    ...breaking(
      'adds its value to what a client says in X-Forwarded-Client-Cert',
      {
        receive: (fields) =>
          fields.map(([name, value]) => [
            /^x-forwarded-client-cert$/i.test(name) ? 'X-Check-Xfcc' : name,
            value,
          ]),
        request: (request) => {
          request.fields = request.fields.map(([name, value]) =>
            name === 'X-Check-Xfcc'
              ? ['X-Forwarded-Client-Cert', `${value},By=gateway`]
              : [name, value],
          );
        },
      },
      { 'client-certificate/spoofed-x-forwarded': 'differs' },
    ),
  },
  {
    ...breaking(
      'forwards one of the fields about certificates with its value changed',
      {
        keepsHopByHop: ['x-ssl-client-verify'],
        request: (request) => {
          request.fields = mapped(request.fields, (value, name) =>
            name === 'x-ssl-client-verify' ? `"${value}"` : value,
          );
        },
      },
      { 'client-certificate/spoofed-verify': 'differs' },
    ),
  },
];

function hashOf(value: string, algorithm = 'sha256'): string {
  return createHash(algorithm)
    .update(Buffer.from(bare(value), 'base64'))
    .digest('hex');
}
