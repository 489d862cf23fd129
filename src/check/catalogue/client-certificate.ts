import { createHash, X509Certificate } from 'node:crypto';
import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { valuesOf, type FieldLine, type Transfer } from '../message.ts';
import type { Session } from '../session.ts';
import { received } from './received.ts';

const CERTIFICATE = {
  section: 'RFC 9440 2',
  level: 'must',
  risk: 'security',
  needs: ['gateway', 'client-certificate'],
} as const;

const CLIENT_CERT = 'client-cert';
const CHAIN = 'client-cert-chain';
const FORWARDED_CLIENT_CERT = 'x-forwarded-client-cert';

const NOT_FORWARDED = 'no field contains the certificate or a part of it';

/** Which detail of a certificate a field contains. */
type Detail = 'certificate' | 'fingerprint' | 'subject' | 'serial number' | 'verification';

const hexOf = (bytes: Buffer, algorithm: string): string =>
  createHash(algorithm).update(bytes).digest('hex');

function parseCertificate(bytes: Buffer | string): X509Certificate | undefined {
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}

/** A byte sequence (RFC 8941 3.3.5). */
function byteSequence(value: string): Buffer | undefined {
  const [, base64] = /^:([A-Za-z\d+/]*={0,2}):$/.exec(value.trim()) ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}

/** A certificate in a value: PEM, also URL-encoded or on one line, or DER in base64. */
function certificateIn(value: string): X509Certificate | undefined {
  // Of several certificates, the first is that of the client.
  const [text = ''] = decoded(value).split(',');
  const [, inner] = /-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----/s.exec(text) ?? [];
  const base64 = (inner ?? text).replaceAll(/[\s":]/g, '');
  if (base64.length < 64 || !/^[A-Za-z\d+/]+={0,2}$/.test(base64)) return undefined;
  return parseCertificate(Buffer.from(base64, 'base64'));
}

function decoded(text: string): string {
  try {
    return text.includes('%') ? decodeURIComponent(text) : text;
  } catch {
    return text;
  }
}

const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----';

/** Names of fields that are about certificates. In other fields, the common name may stand by chance. */
const ABOUT_CERTIFICATES = /cert|ssl|tls|client|subject|serial|-dn\b/i;

function detailIn(name: string, value: string, certificate: X509Certificate): Detail | undefined {
  const { raw, subject, serialNumber } = certificate;
  if (certificateIn(value)) return 'certificate';
  if (!ABOUT_CERTIFICATES.test(name)) return undefined;
  if (/verif/i.test(name)) return 'verification';
  const digits = value.replaceAll(':', '').toLowerCase();
  if (digits.includes(hexOf(raw, 'sha256')) || digits.includes(hexOf(raw, 'sha1')))
    return 'fingerprint';
  if (digits.replace(/^0+/, '') === serialNumber.toLowerCase().replace(/^0+/, ''))
    return 'serial number';
  const names = subject.split('\n').map((line) => line.slice(line.indexOf('=') + 1));
  return names.some((each) => each !== '' && decoded(value).includes(each)) ? 'subject' : undefined;
}

/** The fields in which the origin receives something of the certificate, with what it is. */
function descriptionsIn(fields: readonly FieldLine[], certificate: X509Certificate) {
  return fields.flatMap(([name, value]) => {
    const detail = detailIn(name, value, certificate);
    return detail === undefined ? [] : [{ name, detail }];
  });
}

/** A check of what the origin receives from a client that presents its certificate. */
function withCertificate({
  judge,
  ...rule
}: FamilyRule & {
  readonly judge: (
    fields: readonly FieldLine[],
    certificate: X509Certificate,
    transfer: Transfer,
  ) => Verdict;
}): TopicCheck {
  return received({
    ...rule,
    judge: ({ fields }, { transfer }, { target }) => {
      const { certificate } = target;
      return certificate ? judge(fields, certificate, transfer) : notApplicable('no certificate');
    },
  });
}

const values: readonly TopicCheck[] = [
  withCertificate({
    id: 'client-certificate/forwarded',
    rule: 'Whether the client certificate is forwarded, and in which fields.',
    level: 'info',
    risk: 'interop',
    judge: (fields, certificate, transfer) => {
      const described = descriptionsIn(fields, certificate);
      return described.length === 0
        ? differs(NOT_FORWARDED, transfer)
        : pass(described.map(({ name, detail }) => `${name} (${detail})`).join(', '));
    },
  }),
  withCertificate({
    id: 'client-certificate/client-cert',
    section: 'RFC 9440 2.2',
    rule: 'Client-Cert is a byte sequence with the certificate in DER.',
    judge: (fields, certificate, transfer) => {
      const lines = valuesOf(fields, CLIENT_CERT);
      if (lines.length === 0) return notApplicable('the target does not set Client-Cert');
      const der = byteSequence(lines.join(', '));
      return der?.equals(certificate.raw) === true
        ? pass()
        : fail(`:${certificate.raw.toString('base64')}:`, lines.join(', '), transfer);
    },
  }),
  withCertificate({
    id: 'client-certificate/client-cert-chain',
    section: 'RFC 9440 2.3',
    rule: 'Client-Cert-Chain is sent with Client-Cert, as a list of byte sequences without the client certificate.',
    risk: 'interop',
    judge: judgeChain,
  }),
  withCertificate({
    id: 'client-certificate/x-forwarded',
    section: 'RFC 9440 1',
    rule: 'Hash and Cert in X-Forwarded-Client-Cert match the client certificate.',
    level: 'quality',
    judge: (fields, certificate, transfer) => {
      const value = valuesOf(fields, FORWARDED_CLIENT_CERT).at(-1);
      if (value === undefined) return notApplicable('the target does not set the field');
      // The last element is from the target.
      const last = value.slice(value.lastIndexOf(',') + 1);
      const [, hash] = /Hash=([\da-f]+)/i.exec(last) ?? [];
      const [, quoted] = /Cert="([^"]*)"/i.exec(last) ?? [];
      const isWrong =
        (hash !== undefined && hash.toLowerCase() !== hexOf(certificate.raw, 'sha256')) ||
        (quoted !== undefined && certificateIn(quoted)?.raw.equals(certificate.raw) !== true);
      return isWrong ? fail(`Hash=${hexOf(certificate.raw, 'sha256')}`, value, transfer) : pass();
    },
  }),
  withCertificate({
    id: 'client-certificate/other-fields',
    section: 'RFC 9440 1',
    rule: 'A certificate in another field, such as X-SSL-Client-Cert, matches the client certificate.',
    level: 'quality',
    judge: (fields, certificate, transfer) => {
      const others = fields.filter(
        ([name]) => ![CLIENT_CERT, CHAIN, FORWARDED_CLIENT_CERT].includes(name.toLowerCase()),
      );
      const found = others.flatMap(([name, value]) => {
        const each = certificateIn(value);
        return each ? [{ name, isSame: each.raw.equals(certificate.raw) }] : [];
      });
      const broken = others.find(
        ([, value]) => decoded(value).includes(BEGIN_CERTIFICATE) && !certificateIn(value),
      );
      if (broken) {
        const [name, value] = broken;
        const words = `${value.length} bytes in ${name}, which are no certificate`;
        return fail('the certificate of the client', words, transfer);
      }
      if (found.length === 0) return notApplicable('no other field has a certificate');
      const names = found.map(({ name }) => name).join(', ');
      return found.some(({ isSame }) => isSame)
        ? pass(names)
        : fail('the certificate of the client', `another certificate in ${names}`, transfer);
    },
  }),
];

function judgeChain(
  fields: readonly FieldLine[],
  certificate: X509Certificate,
  transfer: Transfer,
): Verdict {
  const lines = valuesOf(fields, CHAIN);
  if (lines.length === 0) return notApplicable('the target does not set Client-Cert-Chain');
  if (valuesOf(fields, CLIENT_CERT).length === 0)
    return fail('Client-Cert as well', 'no Client-Cert', transfer);
  const members = lines.join(',').split(',');
  const chain = members.map((member) => parseCertificate(byteSequence(member) ?? ''));
  const wrong = chain.findIndex((each) => each === undefined);
  if (wrong !== -1) return fail('byte sequences of certificates', `${members[wrong]}`, transfer);
  return chain.some((each) => each?.raw.equals(certificate.raw))
    ? fail('the other certificates', 'the certificate of the client too', transfer)
    : pass(`${chain.length} certificates`);
}

/** Values that a client sends in fields that only the target may set. */
const SPOOFED: Readonly<Record<string, string>> = {
  [CLIENT_CERT]: ':c3Bvb2ZlZC1ieS1jaGVjaw==:',
  [CHAIN]: ':c3Bvb2ZlZC1ieS1jaGVjaw==:',
};
const OTHER_SPOOFED = 'spoofed-by-check';

const spoofedValue = (name: string): string => SPOOFED[name.toLowerCase()] ?? OTHER_SPOOFED;

/** The names of the fields in which the target forwards the client certificate; undefined if it is not known. */
async function forwardingFields(session: Session): Promise<string[] | undefined> {
  const { certificate } = session.target;
  const echo = await session.echo();
  if (!certificate || !echo.received) return undefined;
  return [...new Set(descriptionsIn(echo.received.fields, certificate).map(({ name }) => name))];
}

function judgeSpoofed(names: readonly string[], fields: readonly FieldLine[], transfer: Transfer) {
  const left = names.filter((name) =>
    valuesOf(fields, name).some((value) => value.includes(spoofedValue(name))),
  );
  return left.length === 0
    ? pass()
    : fail(`${left.join(', ')} set by the target only`, 'the value sent by the client', transfer);
}

/** Checks that a client cannot send the fields in which the target forwards the certificate. */
const spoofed: readonly TopicCheck[] = [
  {
    id: 'client-certificate/spoofed',
    section: 'RFC 9440 2.4',
    rule: 'Certificate fields sent by a client with a certificate are removed or replaced.',
    async run(session) {
      const names = await forwardingFields(session);
      if (names === undefined || names.length === 0) return notApplicable(NOT_FORWARDED);
      const fields = names.map((name) => [name, spoofedValue(name)] as const);
      const { received: request, transfer } = await session.echo({ fields });
      return request ? judgeSpoofed(names, request.fields, transfer) : pass('refused');
    },
  },
  {
    id: 'client-certificate/spoofed-without',
    section: 'RFC 9440 2.4',
    rule: 'Certificate fields sent by a client without a certificate are removed.',
    fronts: ['http/1.1'],
    async run(session) {
      const names = await forwardingFields(session);
      if (names === undefined || names.length === 0) return notApplicable(NOT_FORWARDED);
      const without = { cert: undefined, key: undefined };
      const { opened, words } = await session.handshake(without);
      if (!opened) return pass(`refused: ${words}`);
      const client = session.target.http1Over(opened);
      const fields = names.map((name) => [name, spoofedValue(name)] as const);
      const { received: request, transfer } = await session.echoOn(client, { fields });
      return request ? judgeSpoofed(names, request.fields, transfer) : pass('refused');
    },
  },
  spoofedByName('client-certificate/spoofed-x-forwarded', ['X-Forwarded-Client-Cert']),
  spoofedByName('client-certificate/spoofed-verify', [
    'X-SSL-Client-Verify',
    'X-SSL-Client-Cert',
    'X-SSL-Client-S-DN',
  ]),
];

/** A fact: whether fields that many origins trust are forwarded as the client sent them. */
function spoofedByName(id: Check['id'], names: readonly string[]): TopicCheck {
  return received({
    id,
    section: 'RFC 9440 2.4',
    rule: `Whether ${names.join(', ')} sent by a client ${names.length === 1 ? 'is' : 'are'} forwarded.`,
    level: 'info',
    needs: ['gateway'],
    request: { fields: names.map((name) => [name, OTHER_SPOOFED] as const) },
    judge: ({ fields }, { transfer }) => {
      const left = fields.filter(
        ([name, value]) =>
          value.includes(OTHER_SPOOFED) &&
          names.some((each) => each.toLowerCase() === name.toLowerCase()),
      );
      const found = left.map(([name, value]) => `${name}: ${value}`).join(', ');
      return left.length === 0 ? pass('removed') : differs(`forwarded: ${found}`, transfer);
    },
  });
}

/** Client certificates: what the target forwards of them, and whether a client can forge that. */
export const clientCertificateChecks = topic(CERTIFICATE, [...values, ...spoofed]);
