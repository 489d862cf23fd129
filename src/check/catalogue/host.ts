import { isIP } from 'node:net';
import {
  differs,
  expectSame,
  fail,
  pass,
  topic,
  type FamilyRule,
  type TopicCheck,
} from '../check.ts';
import { valuesOf, type FieldLine } from '../message.ts';
import { hostsOf } from '../origin.ts';
import type { Session } from '../session.ts';
import type { Target } from '../target.ts';
import { fieldIsRemoved, received } from './forwarded.ts';
import { isRefused, judgeRefusal, rawRequest, type Attempt } from './refusal.ts';

const HOST = { section: 'RFC 9110 7.2', level: 'must', risk: 'security' } as const;

/** Whether a host is the one that the origin must not receive, however it is spelled (RFC 3986 3.2.2). */
const isOther = (host: string): boolean => /^other\.example\.?(?::|$)/i.test(host);

/** A fact: how a host arrives that is spelled in another way. @param spell makes it of a name and a port, `:8080` */
function spellingArrives(
  rule: FamilyRule,
  spell: (name: string, port: string, target: Target) => string,
): TopicCheck {
  const sent = ({ target }: Session): string => {
    const { hostname, port } = target.url;
    // An address is spelled in one way only.
    const name = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'check.example';
    return spell(name, port === '' ? '' : `:${port}`, target);
  };
  return received(
    { section: 'RFC 9110 4.2.3', level: 'info', needs: ['gateway'], ...rule },
    (session) => ({ authority: sent(session) }),
    (request, { transfer }, session) => {
      const hosts = [...new Set(hostsOf(request))].join(' and ');
      return hosts === sent(session)
        ? pass('unchanged')
        : differs(`${sent(session)} arrives as ${hosts}`, transfer);
    },
  );
}

/** Host and :authority (RFC 9110 7.2, RFC 9112 3.2, RFC 9113 8.3.1). */
export const hostChecks = topic(HOST, [
  received(
    {
      id: 'host/preserved',
      rule: 'The origin receives the host of the request, unless the gateway is configured to replace it.',
      level: 'quality',
      risk: 'interop',
    },
    {},
    (request, { transfer }, { target }) => {
      const [host = ''] = hostsOf(request);
      return host === target.authority
        ? pass(host)
        : differs(`the origin receives ${host} for ${target.authority}`, transfer);
    },
  ),
  received(
    {
      id: 'host/one',
      rule: 'The origin receives exactly one host.',
    },
    {},
    (request, { transfer }) => {
      const hosts = new Set(hostsOf(request));
      return expectSame('1 host', `${hosts.size} host`, transfer);
    },
  ),
  isRefused(
    {
      id: 'host/missing',
      section: 'RFC 9112 3.2',
      rule: 'An HTTP/1.1 request without Host is refused with 400.',
    },
    { hosts: [] },
    { expected: '400' },
  ),
  isRefused(
    {
      id: 'host/repeated',
      section: 'RFC 9112 3.2',
      rule: 'A request with two different Host fields is refused with 400.',
    },
    { lines: ['Host: other.example'] },
    { expected: '400' },
  ),
  isRefused(
    {
      id: 'host/malformed',
      section: 'RFC 9112 3.2',
      rule: 'A Host that is not a valid host and port is refused with 400.',
    },
    { hosts: ['a b@c/d'] },
    { expected: '400' },
  ),
  {
    id: 'host/absolute-form',
    section: 'RFC 9112 3.2.2',
    rule: 'The host of an absolute-form target replaces Host.',
    fronts: ['http/1.1'],
    needs: ['gateway'],
    observes: 'refusal',
    async run(session) {
      const { authority, url } = session.target;
      const send = async (host: string): Promise<Attempt> => {
        const tag = session.newTag();
        const target = `${url.origin}/anything/${tag}`;
        const transfer = await session.raw(rawRequest(session, tag, { target, hosts: [host] }));
        return { tag, transfer };
      };
      return judgeRefusal(
        session,
        () => send('other.example'),
        () => send(authority),
        {
          expected: `Host: ${authority}, or refused`,
          isSafe: (request) => !hostsOf(request).some(isOther),
        },
      );
    },
  },
  {
    id: 'host/differs-from-authority',
    section: 'RFC 9113 8.3.1',
    rule: 'A Host that differs from :authority is refused or replaced; the origin never receives both.',
    fronts: ['h2'],
    needs: ['gateway'],
    observes: 'refusal',
    async run(session) {
      const send = async (fields: readonly FieldLine[]): Promise<Attempt> =>
        session.echo({ fields });
      return judgeRefusal(
        session,
        () => send([['host', 'other.example']]),
        () => send([]),
        {
          expected: `${session.target.authority}, or refused`,
          isSafe: (request) => !hostsOf(request).some(isOther),
        },
      );
    },
  },
  spellingArrives(
    {
      id: 'host/trailing-dot',
      section: 'RFC 3986 3.2.2',
      rule: 'Whether a host with a dot at the end, as in example.com., arrives unchanged.',
    },
    (name, port) => `${name}.${port}`,
  ),
  spellingArrives(
    { id: 'host/case', rule: 'Whether a host in upper case arrives unchanged.' },
    (name, port) => name.toUpperCase() + port,
  ),
  spellingArrives(
    { id: 'host/default-port', rule: 'Whether a host with the default port arrives unchanged.' },
    (name, _port, { isSecure }) => `${name}:${isSecure ? 443 : 80}`,
  ),
]);

const FORWARDING = { section: 'RFC 7239 8.1', level: 'quality', risk: 'security' } as const;

const SPOOFED = '203.0.113.66';

/** A fact: whether a field that many origins trust is forwarded as the client sends it. */
function spoofIsForwarded(id: `forwarding/${string}`, name: string, spoofed: string): TopicCheck {
  return received(
    {
      id,
      rule: `Whether an ${name} field sent by the client is replaced or removed.`,
      level: 'info',
      needs: ['gateway'],
    },
    { fields: [[name, spoofed]] },
    ({ fields }, { transfer }) => {
      const value = valuesOf(fields, name).join(', ');
      return value === spoofed
        ? differs('forwarded unchanged', transfer)
        : pass(value || 'removed');
    },
  );
}

/** Fields that describe the client to the origin (RFC 7239, RFC 9440). */
export const forwardingChecks = topic(FORWARDING, [
  received(
    {
      id: 'forwarding/client-address',
      section: 'RFC 7239 5.2',
      rule: 'Whether the origin receives the address of the client, in Forwarded, X-Forwarded-For or X-Real-IP.',
      level: 'info',
      risk: 'interop',
      needs: ['gateway'],
    },
    {},
    ({ fields }, { transfer }) => {
      const found = ['forwarded', 'x-forwarded-for', 'x-real-ip'].find(
        (name) => valuesOf(fields, name).length > 0,
      );
      return found === undefined ? differs('no field contains it', transfer) : pass(found);
    },
  ),
  received(
    {
      id: 'forwarding/spoofed-for',
      rule: 'An X-Forwarded-For field sent by the client is removed, or the address of the client is appended to it.',
      needs: ['gateway'],
    },
    { fields: [['X-Forwarded-For', SPOOFED]] },
    ({ fields }, { transfer }) => {
      const members = valuesOf(fields, 'x-forwarded-for')
        .join(',')
        .split(/[ \t]*,[ \t]*/);
      const last = members.at(-1) ?? '';
      return last.startsWith(SPOOFED) || last === 'unknown'
        ? fail('the address of the client as the last member', members.join(', '), transfer)
        : pass(members.join(', '));
    },
  ),
  received(
    {
      id: 'forwarding/spoofed-forwarded',
      rule: 'A Forwarded field sent by the client is removed, or the target appends its own element.',
      needs: ['gateway'],
    },
    { fields: [['Forwarded', `for=${SPOOFED};proto=https`]] },
    ({ fields }, { transfer }) => {
      const value = valuesOf(fields, 'forwarded').join(', ');
      return value.endsWith(`for=${SPOOFED};proto=https`)
        ? fail('removed, or followed by another element', value, transfer)
        : pass(value || 'removed');
    },
  ),
  received(
    {
      id: 'forwarding/spoofed-proto',
      rule: 'An X-Forwarded-Proto field sent by the client is replaced or removed.',
      needs: ['gateway'],
    },
    (session) => ({
      fields: [['X-Forwarded-Proto', session.target.isSecure ? 'http' : 'https']],
    }),
    ({ fields }, { transfer }, { target }) => {
      const value = valuesOf(fields, 'x-forwarded-proto').join(', ');
      const spoofed = target.isSecure ? 'http' : 'https';
      // Many origins take the first of several.
      const [first = ''] = value.toLowerCase().split(/[ \t]*,/);
      return first === spoofed
        ? fail('the scheme that the client used', value, transfer)
        : pass(value || 'removed');
    },
  ),
  spoofIsForwarded('forwarding/spoofed-host', 'X-Forwarded-Host', 'other.example'),
  spoofIsForwarded('forwarding/spoofed-real-ip', 'X-Real-IP', SPOOFED),
  spoofIsForwarded('forwarding/original-url', 'X-Original-URL', '/check'),
  spoofIsForwarded('forwarding/rewrite-url', 'X-Rewrite-URL', '/check'),
  // CGI and its successors take these for X-Forwarded-For and Content-Length.
  spoofIsForwarded('forwarding/alias-for', 'X_Forwarded_For', SPOOFED),
  spoofIsForwarded('forwarding/alias-length', 'Content_Length', '7'),
  fieldIsRemoved(
    {
      id: 'forwarding/spoofed-certificate',
      section: 'RFC 9440 2.4',
      rule: 'Whether Client-Cert and Client-Cert-Chain sent by a client are removed.',
      level: 'info',
      needs: ['gateway'],
    },
    ['Client-Cert', 'Client-Cert-Chain'],
    {
      fields: [
        ['Client-Cert', ':Zm9vYmFy:'],
        ['Client-Cert-Chain', ':Zm9vYmFy:'],
      ],
    },
  ),
]);
