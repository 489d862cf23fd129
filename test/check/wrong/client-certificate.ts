import { X509Certificate } from 'node:crypto';
import { valuesOf } from '../../../src/check/message.ts';
import { issue } from '../../_certificates.ts';
import { keepingFields, onRequest, without, type Setup, type WrongProxy } from '../_wrong.ts';

const TLS: Setup = { scheme: 'https', hasCertificate: true };

const { cert: otherPem } = await issue('other', {});
const other = new X509Certificate(otherPem).raw.toString('base64');

const wrong = (
  name: string,
  deviation: WrongProxy['deviation'],
  turns: WrongProxy['turns'],
  setup = TLS,
): WrongProxy => ({ name, deviation, turns, setup });

/** Replaces a field of clients with a certificate; undefined removes it. */
const setting = (
  name: string,
  value: (certificates: readonly Buffer[]) => string | undefined,
): WrongProxy['deviation'] =>
  onRequest((request, { certificates }) => {
    if (certificates.length === 0) return;
    request.fields = without(request.fields, name.toLowerCase());
    const text = value(certificates);
    if (text !== undefined) request.fields.push([name, text]);
  });

/** Forwards a field as the client sent it, if it did. */
const trusting = (name: string, isTrusted: (hasCertificate: boolean) => boolean = () => true) =>
  onRequest((request, { fields, certificates }) => {
    const sent = valuesOf(fields, name);
    if (sent.length === 0 || !isTrusted(certificates.length > 0)) return;
    request.fields = without(request.fields, name.toLowerCase());
    request.fields.push([name, sent.join(', ')]);
  });

/** Gateways that tell the origin wrongly of the certificate of a client. */
export const wrongClientCertificates: readonly WrongProxy[] = [
  wrong(
    'does not forward certificates',
    keepingFields((name) => !name.startsWith('client-cert')),
    {
      'client-certificate/forwarded': 'differs',
      'client-certificate/client-cert': 'not-applicable',
      'client-certificate/client-cert-chain': 'not-applicable',
      'client-certificate/spoofed': 'not-applicable',
      'client-certificate/spoofed-without': 'not-applicable',
    },
  ),
  wrong(
    'forwards another certificate',
    setting('Client-Cert', () => `:${other}:`),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrong(
    'sends Client-Cert without colons',
    setting('Client-Cert', ([own]) => own?.toString('base64')),
    { 'client-certificate/client-cert': 'fail' },
  ),
  wrong(
    'sends the certificate of the client in the chain',
    setting('Client-Cert-Chain', (certificates) =>
      certificates.map((each) => `:${each.toString('base64')}:`).join(', '),
    ),
    { 'client-certificate/client-cert-chain': 'fail' },
  ),
  wrong(
    'sends a chain without Client-Cert',
    setting('Client-Cert', () => undefined),
    {
      'client-certificate/client-cert': 'not-applicable',
      'client-certificate/client-cert-chain': 'fail',
    },
  ),
  wrong(
    'sends the wrong hash',
    setting('X-Forwarded-Client-Cert', () => `By=spiffe://a;Hash=${'0'.repeat(64)};Subject=""`),
    { 'client-certificate/x-forwarded': 'fail' },
  ),
  wrong(
    'sends another certificate in a field of its own',
    setting('X-SSL-Client-Cert', () => encodeURIComponent(otherPem)),
    { 'client-certificate/other-fields': 'fail' },
  ),
  wrong('trusts Client-Cert of all', trusting('Client-Cert'), {
    'client-certificate/spoofed': 'fail',
    'client-certificate/spoofed-without': 'fail',
  }),
  wrong(
    'trusts Client-Cert of clients without a certificate',
    trusting('Client-Cert', (hasCertificate) => !hasCertificate),
    { 'client-certificate/spoofed-without': 'fail' },
  ),
  wrong('trusts X-Forwarded-Client-Cert', trusting('X-Forwarded-Client-Cert'), {
    'client-certificate/spoofed-x-forwarded': 'differs',
  }),
  wrong('trusts X-SSL-Client-Verify', trusting('X-SSL-Client-Verify'), {
    'client-certificate/spoofed-verify': 'differs',
  }),
];
