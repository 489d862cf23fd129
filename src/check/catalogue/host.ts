import { isIP } from 'node:net';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, expectSame, pass } from '../verdict.ts';
import type { FieldLine } from '../message.ts';
import { hostsOf } from '../origin.ts';
import type { Remedy } from '../remedy.ts';
import type { Session } from '../session.ts';
import type { Target } from '../target.ts';
import { received } from './received.ts';
import { isRefused, judgeRefusal, rawRequest, type Attempt } from './refusal.ts';

const HOST = { section: 'RFC 9110 7.2', level: 'must', risk: 'security' } as const;

/** Whether a host is the one that the origin must not receive, however it is spelled (RFC 3986 3.2.2). */
const isOther = (host: string): boolean => /^other\.example\.?(?::|$)/i.test(host);

/** A fact: how another spelling of the host arrives. @param spell makes it of a name and `:port`, or an empty port */
function spellingArrives({
  spell,
  ...rule
}: FamilyRule & {
  readonly spell: (name: string, port: string, target: Target) => string;
}): TopicCheck {
  const sent = ({ target }: Session): string => {
    const { hostname, port } = target.url;
    // An IP address has no other spelling, so a name replaces it.
    const name = isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'check.example';
    return spell(name, port === '' ? '' : `:${port}`, target);
  };
  return received({
    section: 'RFC 9110 4.2.3',
    level: 'info',
    needs: ['gateway'],
    ...rule,
    request: (session) => ({ authority: sent(session) }),
    judge: (request, { transfer }, session) => {
      const hosts = [...new Set(hostsOf(request))].join(' and ');
      return hosts === sent(session)
        ? pass('unchanged')
        : differs(`${sent(session)} arrives as ${hosts}`, transfer);
    },
  });
}

const VALID_HOST: Remedy = {
  advice: 'Refuse requests without a valid Host with 400.',
  directives: {
    haproxy: [
      [
        'frontend',
        'http-request deny deny_status 400 unless { req.hdr(host) -m reg ^[][A-Za-z0-9._:-]+$ }',
      ],
    ],
  },
};

/** Host and :authority (RFC 9110 7.2, RFC 9112 3.2, RFC 9113 8.3.1). */
export const hostChecks = topic(HOST, [
  received({
    id: 'host/preserved',
    rule: 'The origin receives the host of the request, unless the gateway is configured to replace it.',
    level: 'quality',
    risk: 'interop',
    judge: (request, { transfer }, { target }) => {
      const [host = ''] = hostsOf(request);
      return host === target.authority
        ? pass(host)
        : differs(`the origin receives ${host} for ${target.authority}`, transfer);
    },
  }),
  received({
    id: 'host/one',
    rule: 'The origin receives exactly one host.',
    judge: (request, { transfer }) => {
      const hosts = new Set(hostsOf(request));
      return expectSame('1 host', `${hosts.size} host`, transfer);
    },
  }),
  isRefused({
    id: 'host/missing',
    remedy: VALID_HOST,
    section: 'RFC 9112 3.2',
    rule: 'An HTTP/1.1 request without Host is refused with 400.',
    request: { hosts: [] },
    expected: '400',
  }),
  isRefused({
    id: 'host/repeated',
    section: 'RFC 9112 3.2',
    rule: 'A request with two different Host fields is refused with 400.',
    request: { lines: ['Host: other.example'] },
    expected: '400',
  }),
  isRefused({
    id: 'host/malformed',
    remedy: VALID_HOST,
    section: 'RFC 9112 3.2',
    rule: 'A Host that is not a valid host and port is refused with 400.',
    request: { hosts: ['a b@c/d'] },
    expected: '400',
  }),
  {
    id: 'host/absolute-form',
    section: 'RFC 9112 3.2.2',
    rule: 'The host of an absolute-form target replaces Host.',
    fronts: ['http/1.1'],
    needs: ['gateway'],
    observes: 'refusal',
    async run(session) {
      const { authority, name } = session.target;
      const send = async (host: string): Promise<Attempt> => {
        const tag = session.newTag();
        const target = `${name}/anything/${tag}`;
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
  spellingArrives({
    id: 'host/trailing-dot',
    section: 'RFC 3986 3.2.2',
    rule: 'Whether a host with a dot at the end, as in example.com., arrives unchanged.',
    spell: (name, port) => `${name}.${port}`,
  }),
  spellingArrives({
    id: 'host/case',
    rule: 'Whether a host in upper case arrives unchanged.',
    spell: (name, port) => name.toUpperCase() + port,
  }),
  spellingArrives({
    id: 'host/default-port',
    rule: 'Whether a host with the default port arrives unchanged.',
    spell: (name, _port, { isSecure }) => `${name}:${isSecure ? 443 : 80}`,
  }),
]);
