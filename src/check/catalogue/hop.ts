import { topic, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass } from '../verdict.ts';
import { listOf, outcomeOf, valuesOf } from '../message.ts';
import { rawTarget, receivedOf } from '../origin.ts';
import { removing, type Remedy } from '../remedy.ts';
import type { EchoRequest } from '../session.ts';
import {
  allOf,
  fieldIsRemoved,
  received,
  refusedOrForwarded,
  WITH_CONTENT,
  withoutEcho,
} from './received.ts';
import { isRefusedOrForwarded, rawRequest } from './refusal.ts';

const HOP = {
  section: 'RFC 9110 7.6.1',
  level: 'must',
  risk: 'interop',
  needs: ['gateway'],
} as const;

/** Fields that intermediaries add, by which origins know the client, or trust the request. */
const ADDED = [
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
  'X-Forwarded-Port',
  'X-Real-IP',
];

/** A member of Via: protocol (its name may be left out), host or pseudonym, and comments. */
const VIA = /^(?:[\w.-]+\/)?\d(?:\.\d)?[ \t]+[^\s,]/;

/** A check that listing a field in Connection does not change the framing of the request. */
function framingIsKept(framing: NonNullable<EchoRequest['framing']>, field: string): TopicCheck {
  return isRefusedOrForwarded({
    id: 'hop/connection-content-length',
    rule: 'Listing a field such as Content-Length in Connection does not change the framing of the request.',
    risk: 'security',
    fronts: ['http/1.1'],
    unusual: { ...WITH_CONTENT, framing, fields: [['Connection', field]] },
    ordinary: { ...WITH_CONTENT, framing },
    expected: 'the content arrives, or 400',
    isSafe: ({ content }) => content.toString() === 'content',
  });
}

const BY_NAME: Remedy = {
  advice:
    'Remove by name each field that must not pass, because the proxy does not read Connection.',
};

/** Hop-by-hop fields in both directions (RFC 9110 7.6.1), Via (RFC 9110 7.6.3) and versions (RFC 9112 2.3). */
export const hopChecks = topic(HOP, [
  fieldIsRemoved({
    id: 'hop/connection-listed',
    remedy: BY_NAME,
    rule: 'A field listed in Connection is removed before the request is forwarded.',
    risk: 'security',
    fronts: ['http/1.1'],
    names: ['X-Check-Hop'],
    request: {
      fields: [
        ['Connection', 'X-Check-Hop'],
        ['X-Check-Hop', '1'],
      ],
    },
  }),
  fieldIsRemoved({
    id: 'hop/connection-listed-case',
    rule: 'Connection options are case-insensitive.',
    risk: 'security',
    fronts: ['http/1.1'],
    after: ['hop/connection-listed'],
    names: ['X-Check-Hop'],
    request: {
      fields: [
        ['Connection', 'x-CHECK-hop'],
        ['X-Check-Hop', '1'],
      ],
    },
  }),
  fieldIsRemoved({
    id: 'hop/connection-several',
    rule: 'The fields listed in several Connection lines are all removed.',
    risk: 'security',
    fronts: ['http/1.1'],
    after: ['hop/connection-listed'],
    names: ['X-Check-One', 'X-Check-Two'],
    request: {
      fields: [
        ['Connection', 'X-Check-One'],
        ['Connection', 'keep-alive, X-Check-Two'],
        ['X-Check-One', '1'],
        ['X-Check-Two', '2'],
      ],
    },
  }),
  received({
    id: 'hop/connection-itself',
    rule: 'The Connection field of the client is removed, or replaced by options for the next connection.',
    fronts: ['http/1.1'],
    request: { fields: [['Connection', 'X-Check-Hop']] },
    judge: ({ fields }, { transfer }) =>
      listOf(fields, 'connection').includes('x-check-hop')
        ? fail('no option of the client in Connection', 'forwarded', transfer)
        : pass(),
  }),
  fieldIsRemoved({
    id: 'hop/keep-alive',
    remedy: {
      advice: 'Remove Keep-Alive from requests.',
      directives: removing('Keep-Alive', 'haproxy', 'lighttpd'),
    },
    rule: 'Keep-Alive is removed even if Connection does not list it.',
    level: 'should',
    fronts: ['http/1.1'],
    names: ['Keep-Alive'],
    request: { fields: [['Keep-Alive', 'timeout=5']] },
  }),
  fieldIsRemoved({
    id: 'hop/proxy-connection',
    remedy: {
      advice: 'Remove Proxy-Connection from requests.',
      directives: removing('Proxy-Connection', 'nginx', 'haproxy', 'varnish'),
    },
    rule: 'Proxy-Connection is removed.',
    level: 'should',
    fronts: ['http/1.1'],
    names: ['Proxy-Connection'],
    request: { fields: [['Proxy-Connection', 'keep-alive']] },
  }),
  received({
    id: 'hop/te',
    section: 'RFC 9113 8.2.2',
    rule: 'An HTTP/2 origin receives no TE value other than trailers.',
    fronts: ['http/1.1'],
    needs: ['gateway', 'h2-origin'],
    request: {
      fields: [
        ['TE', 'gzip'],
        ['Connection', 'TE'],
      ],
    },
    judge: ({ fields }, { transfer }) => {
      const left = listOf(fields, 'te').filter((coding) => coding !== 'trailers');
      return left.length === 0
        ? pass()
        : fail('no TE value other than trailers', `TE: ${left.join(', ')}`, transfer);
    },
  }),
  allOf(framingIsKept('length', 'Content-Length'), framingIsKept('chunked', 'Transfer-Encoding')),
  received({
    id: 'hop/connection-authorization',
    rule: 'Whether a client can remove a field such as Authorization by listing it in Connection.',
    level: 'info',
    risk: 'security',
    fronts: ['http/1.1'],
    request: {
      fields: [
        ['Authorization', 'Bearer check'],
        ['Connection', 'Authorization'],
      ],
    },
    judge: ({ fields }, { transfer }) =>
      valuesOf(fields, 'authorization').join() === 'Bearer check'
        ? pass('kept')
        : differs('dropped or emptied', transfer),
  }),
  {
    id: 'hop/connection-added',
    rule: 'A client cannot remove fields that the intermediary adds, such as X-Forwarded-For, by listing them in Connection.',
    level: 'quality',
    risk: 'security',
    fronts: ['http/1.1'],
    observes: 'echo',
    async run(session) {
      const ordinary = await session.echo();
      const namesOf = ({ received: arrived }: typeof ordinary): readonly string[] =>
        ADDED.filter((name) => valuesOf(arrived?.fields ?? [], name).length > 0);
      const added = namesOf(ordinary);
      if (added.length === 0) return notApplicable('it adds no field that names the client');
      const echo = await session.echo({ fields: [['Connection', added.join(', ')]] });
      if (!echo.received) return differs(withoutEcho(echo), echo.transfer);
      const kept = new Set(namesOf(echo));
      const lost = added.filter((name) => !kept.has(name));
      return lost.length === 0
        ? pass(added.join(', '))
        : fail(added.join(', '), `without ${lost.join(', ')}`, ordinary.transfer, echo.transfer);
    },
  },
  {
    id: 'hop/via-request',
    remedy: {
      advice: 'Append the protocol and a name of the proxy to Via.',
      directives: {
        nginx: [
          ['http', "map $http_via $via { '' '1.1 nginx'; default '$http_via, 1.1 nginx'; }"],
          ['location', 'proxy_set_header Via $via;'],
        ],
        haproxy: [['frontend', 'http-request add-header Via "1.1 haproxy"']],
        apache: [['', 'ProxyVia On']],
        caddy: [['reverse_proxy', 'header_up +Via "1.1 caddy"']],
        varnish: [
          [
            'vcl_backend_fetch',
            'set bereq.http.Via = regsub(bereq.http.Via, ".$", "\\0, ") + "1.1 varnish";',
          ],
        ],
        lighttpd: [['', 'setenv.add-request-header += ("Via" => "1.1 lighttpd")']],
      },
    },
    section: 'RFC 9110 7.6.3',
    rule: 'The intermediary adds itself to Via in each forwarded request.',
    observes: 'echo',
    async run(session) {
      let found = '';
      for (const message of [{}, WITH_CONTENT]) {
        const echo = await session.echo(message);
        const { transfer, received: arrived } = echo;
        if (!arrived) return fail('the request reaches the origin', withoutEcho(echo), transfer);
        const [via] = valuesOf(arrived.fields, 'via');
        if (via === undefined) return fail('a Via field', 'no Via field', transfer);
        if (!VIA.test(via))
          return fail('the received protocol and a name', `Via: ${via}`, transfer);
        found = via;
      }
      return pass(found);
    },
  },
  received({
    id: 'hop/via-appended',
    section: 'RFC 9110 7.6.3',
    rule: 'Via members sent by the client are kept.',
    level: 'should',
    request: { fields: [['Via', '1.0 check']] },
    judge: ({ fields }, { transfer }) => {
      const members = listOf(fields, 'via');
      const found = members.join(', ') || 'no Via field';
      if (!members.includes('1.0 check')) return fail('1.0 check in Via', found, transfer);
      // Each intermediary appends itself, so the first member is that of the client.
      return members[0] === '1.0 check' ? pass(found) : fail('1.0 check first', found, transfer);
    },
  }),
  received({
    id: 'hop/cdn-loop',
    section: 'RFC 8586 2',
    rule: 'CDN-Loop, by which content delivery networks detect loops, is not removed.',
    request: { fields: [['CDN-Loop', 'check.example']] },
    judge: ({ fields }, { transfer }) => {
      const members = listOf(fields, 'cdn-loop');
      return members.includes('check.example')
        ? pass(members.join(', '))
        : fail('check.example in CDN-Loop', members.join(', ') || 'no CDN-Loop field', transfer);
    },
  }),
  {
    id: 'hop/loop',
    section: 'RFC 9110 7.6.3',
    rule: 'Whether a request that Via or CDN-Loop shows to have been here before is forwarded again.',
    level: 'info',
    async run(session) {
      const { fields = [] } = (await session.echo()).received ?? {};
      const own = fields.filter(([name]) => /^(?:via|cdn-loop)$/i.test(name));
      if (own.length === 0) return notApplicable('it adds neither Via nor CDN-Loop');
      return refusedOrForwarded(await session.echo({ fields: own }));
    },
  },
  received({
    id: 'hop/proxy-authorization',
    section: 'RFC 9110 11.7.2',
    rule: 'Whether Proxy-Authorization, which is for the first proxy that asks for it, reaches the origin.',
    level: 'info',
    risk: 'security',
    request: { fields: [['Proxy-Authorization', 'Basic Y2hlY2s6Y2hlY2s=']] },
    judge: ({ fields }, { transfer }) =>
      valuesOf(fields, 'proxy-authorization').length === 0
        ? pass('removed')
        : differs('forwarded', transfer),
  }),
  {
    id: 'hop/response-connection-listed',
    remedy: BY_NAME,
    rule: 'A field listed in Connection is removed before the response is forwarded.',
    risk: 'security',
    needs: ['gateway', 'http1-origin', 'raw'],
    async run(session) {
      const transfer = await session.send({
        target: rawTarget(
          'HTTP/1.1 200 OK\r\nConnection: X-Check-Hop\r\nX-Check-Hop: 1\r\nContent-Length: 0\r\n\r\n',
        ),
      });
      const left = valuesOf(transfer.response?.fields ?? [], 'x-check-hop');
      return left.length === 0 ? pass() : fail('X-Check-Hop removed', 'it was forwarded', transfer);
    },
  },
  {
    id: 'hop/version-request',
    section: 'RFC 9112 2.3',
    rule: 'The HTTP version of a forwarded request is that of the intermediary, not that of an HTTP/1.0 client.',
    fronts: ['http/1.1'],
    needs: ['gateway', 'http1-origin'],
    async run(session) {
      const ordinary = await session.echo();
      if (!ordinary.received)
        return fail('the request reaches the origin', withoutEcho(ordinary), ordinary.transfer);
      const content = { method: 'POST', lines: ['Content-Length: 2'], content: 'ab' };
      for (const message of [{}, content]) {
        const tag = session.newTag();
        const request = rawRequest(session, tag, { version: 'HTTP/1.0', ...message });
        const transfer = await session.raw(request);
        const arrived = receivedOf(transfer, tag);
        if (!arrived) return differs(outcomeOf(transfer), transfer);
        const { version } = ordinary.received;
        if (arrived.version !== version) return fail(version, arrived.version, transfer);
      }
      return pass(ordinary.received.version);
    },
  },
  {
    id: 'hop/version-response',
    section: 'RFC 9112 2.3',
    rule: 'The HTTP version of a forwarded response is that of the intermediary, not that of an HTTP/1.0 origin.',
    fronts: ['http/1.1'],
    needs: ['gateway', 'http1-origin', 'raw'],
    async run(session) {
      for (const status of [200, 404]) {
        const target = rawTarget(`HTTP/1.0 ${status} -\r\nContent-Length: 0\r\n\r\n`);
        const transfer = await session.send({ target });
        if (transfer.response?.status !== status) return differs(outcomeOf(transfer), transfer);
        const found = transfer.received.slice(0, 8);
        if (found !== 'HTTP/1.1') return fail('HTTP/1.1', found, transfer);
      }
      return pass('HTTP/1.1');
    },
  },
]);
