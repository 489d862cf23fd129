import { createHash } from 'node:crypto';
import { valuesOf, type FieldLine } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { differs, mapped, without, wrong, type WrongProxy } from '../_wrong.ts';
import { wrongCertificate } from '../wrong/client-certificate.ts';

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

/** Says something wrong of the certificate, which one check judges. */
const says =
  (id: string) =>
  (name: string, ...args: Parameters<typeof certificateFields>): WrongProxy =>
    wrongCertificate(name, `client-certificate/${id}`, certificateFields(...args));
const certificate = says('client-cert');
const chained = says('client-cert-chain');
const forwarded = says('x-forwarded');
const other = says('other-fields');

const renamed = (fields: readonly FieldLine[], from: RegExp, to: string): FieldLine[] =>
  fields.map(([name, value]) => [from.test(name) ? to : name, value]);

const bare = (value: string): string => value.replaceAll(':', '');

/** Gateways that say wrong things of the certificate of a client. */
export const wrongCertificates: readonly WrongProxy[] = [
  certificate(
    'sends the certificate of the authority in place of that of the client',
    (own, chain = own) => ({ 'Client-Cert': chain }),
  ),
  certificate('cuts the last byte of the certificate', (own) => ({
    'Client-Cert': `:${Buffer.from(bare(own), 'base64').subarray(0, -1).toString('base64')}:`,
  })),
  certificate('sends the certificate as base64url', (own) => ({
    'Client-Cert': own.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  })),
  certificate('sends PEM as a byte sequence', (own) => ({
    'Client-Cert': `:${Buffer.from(pem(bare(own))).toString('base64')}:`,
  })),
  certificate('sends the certificate as a quoted string', (own) => ({
    'Client-Cert': `"${bare(own)}"`,
  })),
  certificate('sends the certificate twice', (own) => ({ 'Client-Cert': `${own}, ${own}` })),
  certificate('sends the certificate in two fields', (own) => ({
    'Client-Cert': own,
    'client-cert': own,
  })),
  chained('sends a chain of another client', (own) => ({
    'Client-Cert': own,
    'Client-Cert-Chain': ':AAEC:',
  })),
  chained('sends the chain without colons', (own, chain = '') => ({
    'Client-Cert': own,
    'Client-Cert-Chain': bare(chain),
  })),
  chained('sends the certificate and the chain as one byte sequence', (own, chain = '') => {
    const all = Buffer.concat([
      Buffer.from(bare(own), 'base64'),
      Buffer.from(bare(chain), 'base64'),
    ]);
    return { 'Client-Cert': own, 'Client-Cert-Chain': `:${all.toString('base64')}:` };
  }),
  forwarded(
    'has the hash of the client and the certificate of the authority in X-Forwarded-Client-Cert',
    (own, chain = own) => ({
      'X-Forwarded-Client-Cert': `Hash=${hashOf(own)};Cert="${encodeURIComponent(pem(bare(chain)))}"`,
    }),
  ),
  forwarded(
    'has the hash of the authority and the certificate of the client in X-Forwarded-Client-Cert',
    (own, chain = own) => ({
      'X-Forwarded-Client-Cert': `Hash=${hashOf(chain)};Cert="${encodeURIComponent(pem(bare(own)))}"`,
    }),
  ),
  forwarded('has a right and a wrong element in X-Forwarded-Client-Cert', (own, chain = own) => ({
    'X-Forwarded-Client-Cert': `Hash=${hashOf(own)},Hash=${hashOf(chain)}`,
  })),
  forwarded('has the SHA-1 of the client in X-Forwarded-Client-Cert', (own) => ({
    'X-Forwarded-Client-Cert': `Hash=${hashOf(own, 'sha1')}`,
  })),
  ...[
    'X-SSL-Client-Cert',
    'X-Client-Cert',
    'SSL-Client-Cert',
    'X-Client-Certificate',
    'X-ARR-ClientCert',
    'X-Amzn-Mtls-Clientcert',
  ].map((name) =>
    other(`sends the certificate of the authority in ${name}`, (own, chain = own) => ({
      [name]: encodeURIComponent(pem(bare(chain))),
    })),
  ),
  other('sends half of the certificate in X-SSL-Client-Cert', (own) => ({
    'X-SSL-Client-Cert': encodeURIComponent(pem(bare(own).slice(0, 200))),
  })),
  wrongCertificate(
    'adds its value to a Client-Cert of the client',
    ['client-certificate/spoofed', 'client-certificate/spoofed-without'],
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
  ),
  wrongCertificate(
    'replaces Client-Cert, and removes no Client-Cert-Chain',
    ['client-certificate/spoofed', 'client-certificate/spoofed-without'],
    { keepsHopByHop: ['client-cert-chain'] },
  ),
  wrongCertificate(
    'removes Client-Cert in lower case only',
    ['http/1.1 client-certificate/spoofed', 'client-certificate/spoofed-without'],
    {
      receive: (fields) => renamed(fields, /^Client-Cert$/, 'Client_Cert'),
      request: (request) => {
        request.fields = renamed(request.fields, /^Client_Cert$/, 'Client-Cert');
      },
    },
  ),
  wrongCertificate('removes Client-Cert with capitals only', 'h2 client-certificate/spoofed', {
    receive: (fields) => renamed(fields, /^client-cert$/, 'client_cert'),
    request: (request) => {
      request.fields = renamed(request.fields, /^client_cert$/, 'client-cert');
    },
  }),
  wrongCertificate(
    'forwards a spelling of Client-Cert with an underscore',
    ['client-certificate/spoofed', 'client-certificate/spoofed-without'],
    { receive: (fields) => renamed(fields, /^client-cert$/i, 'Client_Cert') },
  ),
  wrong(
    'adds its value to what a client says in X-Forwarded-Client-Cert',
    differs('client-certificate/spoofed-x-forwarded'),
    {
      receive: (fields) => renamed(fields, /^x-forwarded-client-cert$/i, 'X-Check-Xfcc'),
      request: (request) => {
        request.fields = request.fields.map(([name, value]) =>
          name === 'X-Check-Xfcc'
            ? ['X-Forwarded-Client-Cert', `${value},By=gateway`]
            : [name, value],
        );
      },
    },
  ),
  wrong(
    'forwards one of the fields about certificates with its value changed',
    differs('client-certificate/spoofed-verify'),
    {
      keepsHopByHop: ['x-ssl-client-verify'],
      request: (request) => {
        request.fields = mapped(request.fields, (value, name) =>
          name === 'x-ssl-client-verify' ? `"${value}"` : value,
        );
      },
    },
  ),
];

function hashOf(value: string, algorithm = 'sha256'): string {
  return createHash(algorithm)
    .update(Buffer.from(bare(value), 'base64'))
    .digest('hex');
}
