import { createHash } from 'node:crypto';
import { valuesOf } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { breaking, mapped, without, type Setup, type WrongProxy } from '../_wrong.ts';

const CERTIFICATE: Setup = { scheme: 'https', hasCertificate: true };

const wrongCertificate = (
  name: string,
  deviation: Deviation,
  turns: WrongProxy['turns'],
): WrongProxy => ({
  ...breaking(name, deviation, turns),
  setup: CERTIFICATE,
});

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
