import type { JournalEntry } from '../../telemetry/journal/entry.ts';
import { topic, type Check, type TopicCheck } from '../check.ts';
import { differs, expectSame, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import {
  listOf,
  outcomeOf,
  responseField,
  valueOf,
  type FieldLine,
  type Transfer,
} from '../message.ts';
import { isAnswered, isFromOrigin, rawTarget, tagged } from '../origin.ts';
import type { Remedy } from '../remedy.ts';
import { answeredByTarget, refusedOrForwarded, withoutEcho } from './received.ts';
import type { EchoRequest, Session } from '../session.ts';
import { isRefused, isRefusedOrForwarded } from './refusal.ts';
import { respondsWithoutContent } from './response.ts';

const METHOD = { section: 'RFC 9110 9.1', level: 'quality', risk: 'interop' } as const;

/** Elements of Allow in responses of `/range`, in lower case. */
const ALLOWED = 'get, head, options';

/** A check that a method arrives as it was sent. Methods that servers need not implement may be refused. */
function methodArrives(id: `method/${string}`, method: string, level: Check['level']): TopicCheck {
  return {
    id,
    rule: `The method ${method} is forwarded.`,
    level,
    async run(session) {
      const echo = await session.echo({ method });
      if (echo.received) return expectSame(method, echo.received.method, echo.transfer);
      // RFC 9110 9.1: servers implement GET and HEAD; all other methods are optional.
      return level === 'must'
        ? fail('the request reaches the origin', withoutEcho(echo), echo.transfer)
        : differs(withoutEcho(echo), echo.transfer);
    },
  };
}

/** Requests whose method means something else than that of the others, or would with other content. */
const DISTINCT: readonly EchoRequest[] = ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'QUERY']
  .flatMap((method): EchoRequest[] => [{ method }, { method, content: 'content' }])
  .concat({ method: 'GET' });

const requestText = ({ method, content }: EchoRequest): string =>
  `${method} ${content === undefined ? 'without' : 'with'} content`;

/** Sends OPTIONS with Max-Forwards. @returns the journal entry, if it reached the origin, and the transfer */
async function forwards(session: Session, value: string) {
  const tag = session.newTag();
  const fields = [['Max-Forwards', value] as const];
  const message = { method: 'OPTIONS', target: `/anything/${tag}`, fields };
  const transfer = await session.send(tagged(tag, message));
  const [entry] = await session.arrived(tag);
  return { entry, transfer };
}

/** A check of OPTIONS with Max-Forwards, which every intermediary has to decrement (RFC 9110 7.6.2). */
function maxForwards(
  id: `method/${string}`,
  rule: string,
  remedy: Remedy,
  value: string,
  judge: (entry: JournalEntry, transfer: Transfer) => Verdict,
): TopicCheck {
  return {
    id,
    section: 'RFC 9110 7.6.2',
    rule,
    remedy,
    level: 'must',
    needs: ['gateway', 'journal'],
    async run(session) {
      const { entry, transfer } = await forwards(session, value);
      if (entry) return judge(entry, transfer);
      const found = `answered with ${outcomeOf(transfer)}`;
      // A target that never forwards OPTIONS does not show that it respects Max-Forwards.
      const isForwarding = value === '0' && (await forwards(session, '5')).entry !== undefined;
      return isForwarding ? pass(found) : notApplicable(`OPTIONS is not forwarded: ${found}`);
    },
  };
}

/** Sends HEAD. @returns the journal entry, if it reached the origin, and the transfer */
async function sendHead(session: Session) {
  const tag = session.newTag();
  const transfer = await session.send(tagged(tag, { method: 'HEAD', target: '/healthz' }));
  const [entry] = await session.arrived(tag);
  return { entry, transfer };
}

/** For targets that forward HEAD as HEAD: as a response to GET, that of the origin would never end. */
const HEAD_CHUNKED = respondsWithoutContent({
  id: 'method/head-chunked',
  // "Transfer-Encoding MAY be sent in a response to a HEAD request".
  section: 'RFC 9112 6.1',
  rule: 'A response to HEAD with the Transfer-Encoding that GET would have ends with its header section.',
  level: 'must',
  risk: 'data-loss',
  needs: ['gateway', 'journal', 'http1-origin', 'raw'],
  message: {
    method: 'HEAD',
    target: `${rawTarget('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')}&then=keep`,
  },
  judge: (transfer) => expectSame('200', String(transfer.response?.status), transfer),
});

/** Methods (RFC 9110 9). */
export const methodChecks = topic(METHOD, [
  methodArrives('method/get', 'GET', 'must'),
  methodArrives('method/post', 'POST', 'should'),
  methodArrives('method/put', 'PUT', 'should'),
  methodArrives('method/patch', 'PATCH', 'should'),
  methodArrives('method/delete', 'DELETE', 'should'),
  methodArrives('method/propfind', 'PROPFIND', 'quality'),
  methodArrives('method/query', 'QUERY', 'info'),
  methodArrives('method/unknown', 'CHECKMETHOD', 'info'),
  {
    id: 'method/kept',
    // "A sender MUST NOT generate protocol elements that convey a meaning that is known by that sender to be false."
    section: 'RFC 9110 2.2',
    rule: 'A method is forwarded as no other method, with content and without; it may be refused.',
    level: 'must',
    risk: 'data-loss',
    observes: 'echo',
    async run(session) {
      const echoes = await Promise.all(
        DISTINCT.map(async (request) => ({ request, echo: await session.echo(request) })),
      );
      const other = echoes.find(({ request, echo: { received } }) =>
        received ? received.method !== request.method : false,
      );
      if (other) {
        const found = `the origin receives ${other.echo.received?.method}`;
        return fail(requestText(other.request), found, other.echo.transfer);
      }
      const refused = echoes.filter(({ echo: { received } }) => !received);
      const texts = refused.map(({ request }) => requestText(request));
      return texts.length === 0 ? pass() : pass(`refused: ${texts.join(', ')}`);
    },
  },
  {
    id: 'method/head-forwarded',
    section: 'RFC 9110 9.3.2',
    rule: 'Whether HEAD is forwarded as HEAD. A cache may forward GET, to store the response.',
    level: 'info',
    risk: 'latency',
    needs: ['journal'],
    async run(session) {
      const { entry, transfer } = await sendHead(session);
      if (!entry) return answeredByTarget({ transfer });
      return entry.method === 'HEAD' ? pass() : differs(`as ${entry.method}`, transfer);
    },
  },
  isRefusedOrForwarded({
    id: 'method/case',
    rule: 'The method get in lower case is not treated as GET.',
    level: 'must',
    unusual: { method: 'get' },
    ordinary: { method: 'GET' },
    expected: 'get',
    isSafe: ({ method }) => method === 'get',
    // The origin refuses the method `get` with 501, but would have echoed GET.
    accepts: 501,
  }),
  respondsWithoutContent({
    id: 'method/head',
    section: 'RFC 9110 9.3.2',
    rule: 'A response to HEAD has no content, and the Content-Length that GET would have, if any.',
    level: 'must',
    message: { method: 'HEAD', target: '/range/1000' },
    judge: (transfer) => {
      const { status } = transfer.response ?? {};
      const length = responseField(transfer, 'content-length');
      if (length === undefined) return differs(`${status} without Content-Length`, transfer);
      // RFC 9110 8.6: in a response to HEAD, Content-Length must be that of the response to GET.
      const expected = '200 with Content-Length: 1000';
      return expectSame(expected, `${status} with Content-Length: ${length}`, transfer);
    },
  }),
  {
    ...HEAD_CHUNKED,
    async run(session) {
      const { entry } = await sendHead(session);
      if (entry?.method === 'HEAD') return HEAD_CHUNKED.run(session);
      return notApplicable(
        entry ? `HEAD is forwarded as ${entry.method}` : 'HEAD is not forwarded',
      );
    },
  },
  {
    id: 'method/options',
    section: 'RFC 9110 9.3.7',
    rule: 'OPTIONS for a path is forwarded, and Allow of its response is returned.',
    async run(session) {
      const transfer = await session.send({ method: 'OPTIONS', target: '/range/1000' });
      const allow = listOf(transfer.response?.fields ?? [], 'allow')
        .toSorted()
        .join(', ');
      if (allow === '') return differs(`${outcomeOf(transfer)} without Allow`, transfer);
      // RFC 9110 10.2.1: a proxy must not modify Allow.
      return isFromOrigin(transfer) ? expectSame(ALLOWED, allow, transfer) : pass(allow);
    },
  },
  {
    id: 'method/preflight',
    section: 'WHATWG Fetch 3.2.2',
    rule: 'Whether a CORS preflight is forwarded, or answered by the target.',
    level: 'info',
    risk: 'security',
    observes: 'target',
    async run(session) {
      const fields: FieldLine[] = [
        ['Origin', 'https://check.example'],
        ['Access-Control-Request-Method', 'PUT'],
      ];
      const transfer = await session.send({ method: 'OPTIONS', target: '/range/1000', fields });
      return isAnswered(transfer) ? pass('forwarded') : differs(outcomeOf(transfer), transfer);
    },
  },
  maxForwards(
    'method/max-forwards',
    'Max-Forwards of OPTIONS is decremented before the request is forwarded.',
    {
      advice: 'Decrement Max-Forwards of OPTIONS and TRACE.',
      directives: {
        haproxy: [
          [
            'frontend',
            'http-request set-header Max-Forwards %[req.hdr(max-forwards),sub(1)] if METH_OPTIONS { req.hdr(max-forwards) -m int gt 0 }',
          ],
        ],
      },
    },
    '5',
    (entry, transfer) => {
      const value = valueOf(entry.raw_headers, 'max-forwards');
      const isLess = value !== undefined && Number(value) < 5;
      if (isLess) return pass(value);
      const found = value === undefined ? 'no Max-Forwards' : `Max-Forwards: ${value}`;
      return fail('Max-Forwards: 4', found, transfer);
    },
  ),
  maxForwards(
    'method/max-forwards-zero',
    'OPTIONS with Max-Forwards: 0 is answered by the intermediary.',
    {
      advice: 'Answer OPTIONS with Max-Forwards: 0 in place of forwarding it.',
      directives: {
        nginx: [
          ['http', `map "$request_method $http_max_forwards" $is_last { "OPTIONS 0" 1; }`],
          ['server', 'if ($is_last) { return 204; }'],
        ],
        haproxy: [
          [
            'frontend',
            'http-request return status 204 if METH_OPTIONS { req.hdr(max-forwards) -m int 0 }',
          ],
        ],
        caddy: [
          [
            'site',
            '@last {',
            '  method OPTIONS',
            '  header Max-Forwards 0',
            '}',
            'respond @last 204',
          ],
        ],
        varnish: [
          [
            'vcl_recv',
            'if (req.method == "OPTIONS" && req.http.Max-Forwards == "0") { return (synth(204)); }',
          ],
        ],
      },
    },
    '0',
    (_entry, transfer) => fail('not forwarded', 'forwarded to the origin', transfer),
  ),
  {
    id: 'method/trace',
    section: 'RFC 9110 9.3.8',
    rule: 'Whether TRACE, which reveals the fields that the intermediary adds, is forwarded.',
    level: 'info',
    risk: 'security',
    observes: 'target',
    async run(session) {
      return refusedOrForwarded(await session.echo({ method: 'TRACE' }));
    },
  },
  {
    id: 'method/connect',
    section: 'RFC 9110 9.3.6',
    rule: 'A gateway does not open a tunnel to a host named by the client.',
    level: 'should',
    risk: 'security',
    fronts: ['http/1.1'],
    needs: ['gateway'],
    observes: 'target',
    async run(session) {
      const transfer = await session.raw(
        'CONNECT check.invalid:443 HTTP/1.1\r\nHost: check.invalid:443\r\n\r\n',
        'CONNECT',
      );
      const { status = 0 } = transfer.response ?? {};
      if (isFromOrigin(transfer))
        return differs(`forwarded; the origin answered ${status}`, transfer);
      return status >= 200 && status < 300
        ? fail('refused', `${status}: a tunnel is open`, transfer)
        : pass(outcomeOf(transfer));
    },
  },
  isRefused({
    id: 'method/malformed',
    section: 'RFC 9112 3.2',
    rule: 'A method that is not a valid token is refused.',
    level: 'should',
    risk: 'security',
    request: { method: 'G(T' },
    expected: '400',
  }),
]);
