import { X509Certificate } from 'node:crypto';
import { valuesOf } from '../../../src/check/message.ts';
import { issue } from '../../_certificates.ts';
import {
  differs,
  keepingFields,
  onRequest,
  without,
  wrong,
  type Setup,
  type Turns,
  type WrongProxy,
} from '../_wrong.ts';

const TLS: Setup = { scheme: 'https', hasCertificate: true };

const { cert: otherPem } = await issue('other', {});
const other = new X509Certificate(otherPem).raw.toString('base64');

export const wrongCertificate = (
  name: string,
  turns: Turns,
  deviation: WrongProxy['deviation'],
  setup = TLS,
): WrongProxy => ({ ...wrong(name, turns, deviation), setup });

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
  wrongCertificate(
    'does not forward certificates',
    {
      'client-certificate/forwarded': 'differs',
      'client-certificate/client-cert': 'not-applicable',
      'client-certificate/client-cert-chain': 'not-applicable',
      'client-certificate/spoofed': 'not-applicable',
      'client-certificate/spoofed-without': 'not-applicable',
    },
    keepingFields((name) => !name.startsWith('client-cert')),
  ),
  wrongCertificate(
    'forwards another certificate',
    'client-certificate/client-cert',
    setting('Client-Cert', () => `:${other}:`),
  ),
  wrongCertificate(
    'sends Client-Cert without colons',
    'client-certificate/client-cert',
    setting('Client-Cert', ([own]) => own?.toString('base64')),
  ),
  wrongCertificate(
    'sends the certificate of the client in the chain',
    'client-certificate/client-cert-chain',
    setting('Client-Cert-Chain', (certificates) =>
      certificates.map((each) => `:${each.toString('base64')}:`).join(', '),
    ),
  ),
  wrongCertificate(
    'sends a chain without Client-Cert',
    {
      'client-certificate/client-cert': 'not-applicable',
      'client-certificate/client-cert-chain': 'fail',
    },
    setting('Client-Cert', () => undefined),
  ),
  wrongCertificate(
    'sends the wrong hash',
    'client-certificate/x-forwarded',
    setting('X-Forwarded-Client-Cert', () => `By=spiffe://a;Hash=${'0'.repeat(64)};Subject=""`),
  ),
  wrongCertificate(
    'sends another certificate in a field of its own',
    'client-certificate/other-fields',
    setting('X-SSL-Client-Cert', () => encodeURIComponent(otherPem)),
  ),
  wrongCertificate(
    'trusts Client-Cert of all',
    ['client-certificate/spoofed', 'client-certificate/spoofed-without'],
    trusting('Client-Cert'),
  ),
  wrongCertificate(
    'trusts Client-Cert of clients without a certificate',
    'client-certificate/spoofed-without',
    trusting('Client-Cert', (hasCertificate) => !hasCertificate),
  ),
  wrongCertificate(
    'trusts X-Forwarded-Client-Cert',
    differs('client-certificate/spoofed-x-forwarded'),
    trusting('X-Forwarded-Client-Cert'),
  ),
  wrongCertificate(
    'trusts X-SSL-Client-Verify',
    differs('client-certificate/spoofed-verify'),
    trusting('X-SSL-Client-Verify'),
  ),
];
