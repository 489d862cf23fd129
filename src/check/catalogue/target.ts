import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { outcomeOf } from '../message.ts';
import { tagged, type Received } from '../origin.ts';
import type { EchoRequest } from '../session.ts';
import { differs, expectSame, fail, pass } from '../verdict.ts';
import { KiB } from './bounds.ts';
import { allOf, received, WITH_CONTENT } from './received.ts';
import { isRefused, isRefusedOrForwarded, judgeRefusal } from './refusal.ts';

/**
 * RFC 9110 7.7, "A proxy MUST NOT modify the absolute-path and query parts", binds proxies only (see `interim.ts`).
 * Users expect it of a gateway, too, where RFC 3986 does not call the two URIs equivalent.
 */
const TARGET = { level: 'quality', risk: 'interop', section: 'RFC 9110 7.7' } as const;

/** The query parameter that `Session.unique()` appends. */
const UNIQUE = /(?:^|[?&])check=check-[\da-f]{12}(?:&|$)/;

/**
 * A check that a path below `/anything` arrives as it was sent.
 *
 * @param mayRefuse whether a target that refuses the path keeps the rule
 */
function pathArrives({
  path,
  request = {},
  mayRefuse = false,
  ...rule
}: FamilyRule & {
  readonly path: string;
  readonly request?: EchoRequest;
  readonly mayRefuse?: boolean;
}): TopicCheck {
  const sent = `/anything/${path}`;
  return received({
    ...rule,
    request: { ...request, target: sent },
    judge: (arrived, { transfer }) => {
      // The unique parameter is at the end of the target. If it is missing, the end was cut off.
      const isCut = arrived.query !== '' && !UNIQUE.test(arrived.query);
      if (arrived.path === sent && !isCut) return pass(sent);
      const target = targetWithoutTag(arrived);
      return withUpperCaseEscapes(sent) === withUpperCaseEscapes(target)
        ? differs(`${sent} arrives as ${target}`, transfer)
        : fail(sent, target, transfer);
    },
    expected: sent,
    mayRefuse,
  });
}

/** The target as it arrived, without the parameter that makes it unique. */
function targetWithoutTag({ path, query }: Received): string {
  const rest = query.replace(/(?:^|[?&])check=check-[\da-f]{12}$/, '');
  return rest === '' ? path : `${path}?${rest}`;
}

/** The path with upper-case percent-encoding: hexadecimal digits are case-insensitive (RFC 3986 6.2.2.1). */
function withUpperCaseEscapes(path: string): string {
  return path.replace(/%[\da-f]{2}/gi, (encoded) => encoded.toUpperCase());
}

/** A fact: how a path is forwarded. */
function pathMayChange({ path, ...rule }: FamilyRule & { readonly path: string }): TopicCheck {
  return received({
    level: 'info',
    ...rule,
    request: { target: `/anything/${path}` },
    judge: (arrived, { transfer }) =>
      arrived.path === `/anything/${path}`
        ? pass('unchanged')
        : differs(`/anything/${path} arrives as ${targetWithoutTag(arrived)}`, transfer),
  });
}

/** A check that a query arrives as it was sent. */
function queryArrives({ query, ...rule }: FamilyRule & { readonly query: string }): TopicCheck {
  return received({
    ...rule,
    request: (session) => ({ target: `/anything/${session.newTag()}?${query}` }),
    judge: ({ query: arrived }, { transfer }) => expectSame(query, arrived, transfer),
  });
}

/** A check that a malformed request line is refused with 400, or redirected with 301 (RFC 9112 3.2). */
function lineIsRefused({ suffix, ...rule }: FamilyRule & { readonly suffix: string }): TopicCheck {
  const change = (bytes: string): string => bytes.replace(' HTTP/', `${suffix} HTTP/`);
  return isRefused({ ...rule, expected: '400 or 301', accepts: 301, change });
}

const ENCODED_SLASH = {
  id: 'target/encoded-slash',
  section: 'RFC 3986 2.2',
  rule: '%2F is not decoded.',
  risk: 'security',
  remedy: {
    advice: 'Forward the path as it was sent, without decoding it.',
    directives: { lighttpd: [['', 'server.http-parseopts = ("url-path-2f-decode" => "disable")']] },
  },
} as const;

/** Paths and queries (RFC 3986, RFC 9110 4 and 7.7). */
export const targetChecks = topic(TARGET, [
  pathArrives({
    id: 'target/plain',
    rule: 'The path is forwarded unchanged.',
    path: 'a/b.c~d_e-f',
  }),
  allOf(
    pathArrives({ ...ENCODED_SLASH, path: 'a%2Fb' }),
    pathArrives({ ...ENCODED_SLASH, path: 'a%2Fb', request: WITH_CONTENT }),
  ),
  pathArrives({
    id: 'target/encoded-slash-case',
    section: 'RFC 3986 2.1',
    rule: '%2f in lower case is not decoded.',
    risk: 'security',
    path: 'a%2fb',
  }),
  isRefusedOrForwarded({
    id: 'target/encoded-crlf',
    section: 'RFC 3986 2.2',
    // The decoded character would break the grammar of the request line (RFC 9110 2.2).
    level: 'must',
    rule: '%0d%0a is not decoded into the end of a line: the request is refused, or forwarded unchanged.',
    risk: 'security',
    needs: ['gateway'],
    unusual: { target: '/anything/a%0d%0aX-Check-Hidden:%20b' },
    ordinary: { target: '/anything/a%20b' },
    isSafe: ({ path }) => path.toLowerCase() === '/anything/a%0d%0ax-check-hidden:%20b',
  }),
  pathArrives({
    id: 'target/encoded-percent',
    section: 'RFC 3986 2.4',
    rule: '%252F is not decoded twice.',
    level: 'must',
    risk: 'security',
    path: 'a%252Fb',
    // What is not forwarded is not decoded.
    mayRefuse: true,
  }),
  pathArrives({
    id: 'target/encoded-question',
    section: 'RFC 3986 2.2',
    rule: '%3F is not decoded into the start of a query.',
    risk: 'security',
    path: 'a%3Fb',
  }),
  pathArrives({
    id: 'target/semicolon',
    section: 'RFC 3986 3.3',
    rule: 'Path parameters after a semicolon are kept.',
    path: 'a;b=c/d',
  }),
  pathArrives({
    id: 'target/sub-delims',
    section: 'RFC 3986 2.2',
    rule: 'Reserved characters that are valid in a path are kept.',
    path: "a!$&'()*+,=:@b",
  }),
  pathArrives({
    id: 'target/trailing-slash',
    rule: 'A trailing slash is kept.',
    section: 'RFC 3986 6.2.4',
    path: 'a/b/',
  }),
  pathArrives({
    id: 'target/encoded-utf8',
    rule: 'Percent-encoded UTF-8 is kept.',
    section: 'RFC 3986 2.5',
    path: 'caf%C3%A9',
  }),
  pathArrives({
    id: 'target/hex-case',
    section: 'RFC 3986 6.2.2.1',
    rule: 'Percent-encoded UTF-8 is kept; its hexadecimal digits may be converted to upper case.',
    path: 'caf%c3%a9',
  }),
  pathArrives({
    id: 'target/long',
    rule: 'A target of 4 KiB is forwarded.',
    section: 'RFC 9110 4.1',
    level: 'should',
    path: 'x'.repeat(4 * KiB),
  }),
  pathMayChange({
    id: 'target/double-slash',
    section: 'RFC 3986 3.3',
    rule: 'Whether an empty path segment is kept or slashes are merged.',
    risk: 'security',
    path: 'a//b',
  }),
  pathMayChange({
    id: 'target/dot-segments',
    section: 'RFC 3986 5.2.4',
    rule: 'Whether dot segments are kept or removed.',
    risk: 'security',
    path: 'a/./b/../c',
  }),
  pathMayChange({
    id: 'target/encoded-dot-segments',
    section: 'RFC 3986 6.2.2.3',
    rule: 'Whether percent-encoded dot segments are kept or removed.',
    risk: 'security',
    path: 'a/%2e%2e/b',
  }),
  pathMayChange({
    id: 'target/encoded-unreserved',
    section: 'RFC 3986 6.2.2.2',
    rule: 'Whether percent-encoded unreserved characters are decoded.',
    path: '%41%7E%2D',
  }),
  isRefusedOrForwarded({
    id: 'target/dot-segments-above-root',
    section: 'RFC 3986 5.2.4',
    rule: 'Whether the origin receives dot segments that lead above the root.',
    risk: 'security',
    needs: ['gateway', 'root'],
    level: 'info',
    unusual: { target: '/anything/../../anything/x' },
    ordinary: { target: '/anything/x' },
    expected: 'removed',
    isSafe: ({ path }) => !path.includes('..'),
  }),
  queryArrives({
    id: 'target/query',
    rule: 'The query is forwarded unchanged.',
    query: 'a=1&b=%2F&c=d+e&&f',
  }),
  queryArrives({
    id: 'target/query-question',
    section: 'RFC 3986 3.4',
    rule: 'A question mark, a slash and a semicolon in the query are kept.',
    query: 'a=b?c/d&e=f;g&h',
  }),
  queryArrives({
    id: 'target/query-encoded',
    section: 'RFC 3986 2.4',
    rule: 'The query is neither decoded nor encoded again, also where its octets are no UTF-8.',
    level: 'must',
    query: 'a=%2525&b=%20+%2B&c=%FF%e4',
  }),
  queryArrives({
    id: 'target/query-brackets',
    rule: 'Brackets in the query, which many clients send unencoded, are kept.',
    section: 'RFC 3986 3.4',
    query: 'a[]=1&a[b]=2',
  }),
  lineIsRefused({
    id: 'target/fragment',
    remedy: {
      advice: 'Refuse a request target with # by a rule of your own.',
      directives: {
        nginx: [['server', 'if ($request_uri ~ "#") { return 400; }']],
        caddy: [['site', '@f expression {http.request.orig_uri}.contains("#")', 'respond @f 400']],
        varnish: [['vcl_recv', 'if (req.url ~ "#") { return (synth(400)); }']],
      },
    },
    section: 'RFC 9112 3.2',
    rule: 'A request target with a fragment is refused.',
    level: 'should',
    suffix: '#fragment',
  }),
  lineIsRefused({
    id: 'target/space',
    section: 'RFC 9112 3.2',
    rule: 'A request target with a space, which makes the request line malformed, is refused.',
    risk: 'security',
    level: 'should',
    suffix: ' a',
  }),
  lineIsRefused({
    id: 'target/control',
    section: 'RFC 9112 3.2',
    rule: 'A request target with a control character is refused.',
    risk: 'security',
    level: 'should',
    suffix: '\u0001',
  }),
  isRefusedOrForwarded({
    id: 'target/encoded-nul',
    section: 'RFC 3986 7.3',
    rule: 'Whether %00 in the path is refused, kept or changed.',
    level: 'info',
    risk: 'security',
    unusual: { target: '/anything/a%00b' },
    ordinary: { target: '/anything/a%20b' },
    expected: 'kept',
    isSafe: ({ path }) => path === '/anything/a%00b',
    mayForward: true,
  }),
  isRefusedOrForwarded({
    id: 'target/malformed-percent',
    section: 'RFC 9112 3.2',
    rule: 'A malformed percent-encoding is refused, or forwarded unchanged.',
    level: 'should',
    risk: 'security',
    unusual: { target: '/anything/a%zzb' },
    ordinary: { target: '/anything/a%20b' },
    expected: '400, or /anything/a%zzb',
    isSafe: ({ path }) => path === '/anything/a%zzb',
    mayForward: true,
  }),
  isRefusedOrForwarded({
    id: 'target/backslash',
    // A URI has no whitespace, so the request line is invalid, and should not be autocorrected.
    section: 'RFC 9112 3.2',
    level: 'should',
    rule: 'A backslash in the path is not treated as a slash: the request is refused, or the path keeps it as a backslash or %5C.',
    risk: 'security',
    unusual: { target: String.raw`/anything/a\b` },
    ordinary: { target: '/anything/a/b' },
    expected: String.raw`refused, or /anything/a\b`,
    isSafe: ({ path }) => /^\/anything\/a(?:\\|%5C)b$/i.test(path),
    mayForward: true,
  }),
  {
    id: 'target/asterisk',
    section: 'RFC 9112 3.2.4',
    rule: 'OPTIONS * is forwarded with the target *, or answered by the intermediary.',
    level: 'must',
    needs: ['journal', 'root'],
    async run(session) {
      const tag = session.newTag();
      const transfer = await session.send(tagged(tag, { method: 'OPTIONS', target: '*' }));
      const [entry] = await session.arrived(tag);
      return entry
        ? expectSame('*', entry.target, transfer)
        : differs(`answered with ${outcomeOf(transfer)}`, transfer);
    },
  },
]);

/**
 * A check of characters that clients send unencoded, but that a path must not contain (RFC 3986 3.3). The target may
 * refuse, encode or forward them, but must not change the path otherwise (RFC 9110 7.7).
 */
function pathIsKept({
  characters,
  ...rule
}: FamilyRule & { readonly characters: readonly string[] }): Check {
  return {
    section: 'RFC 9110 7.7',
    level: 'must',
    risk: 'security',
    needs: ['gateway'],
    ...rule,
    observes: 'refusal',
    async run(session) {
      const found = new Map<string, string>();
      for (const character of characters) {
        const target = `/anything/a${character}b`;
        const encoded = `/anything/a${percentEncoded(character)}b`;
        const verdict = await judgeRefusal(
          session,
          () => session.echo({ target }),
          () => session.echo({ target: encoded }),
          {
            expected: `refused, ${shown(target)} or ${encoded}`,
            isSafe: ({ path }) => path === target || path.toUpperCase() === encoded.toUpperCase(),
            found: ({ path }) => `${shown(target)} arrives as ${shown(path)}`,
            mayForward: true,
          },
        );
        if (verdict.outcome !== 'pass') return verdict;
        found.set(shown(character), verdict.found ?? '');
      }
      const [first, ...others] = new Set(found.values());
      if (others.length === 0) return pass(first);
      return pass(Array.from(found, ([character, what]) => `${character} ${what}`).join(', '));
    },
  };
}

/** Percent-encodes all bytes. @param text one character per byte */
const percentEncoded = (text: string): string =>
  Buffer.from(text, 'latin1').toString('hex').replace(/../g, '%$&').toUpperCase();

/** Text with unprintable bytes as `\x7f`. */
const shown = (text: string): string =>
  text.replace(/[^!-~]/g, (byte) => `\\x${Buffer.from(byte, 'latin1').toString('hex')}`);

/** Checks of characters that must be percent-encoded in a URI (RFC 3986 2). */
export const targetCharacterChecks: readonly Check[] = [
  pathIsKept({
    id: 'target/braces',
    rule: 'A path with one of {, }, |, ^ and ` is refused, or arrives unchanged or percent-encoded.',
    characters: ['{', '}', '|', '^', '`'],
  }),
  pathIsKept({
    id: 'target/delimiters',
    rule: 'A path with one of ", < and > is refused, or arrives unchanged or percent-encoded.',
    characters: ['"', '<', '>'],
  }),
  pathIsKept({
    id: 'target/non-ascii',
    rule: 'A path with UTF-8 or other bytes beyond ASCII is refused, or arrives unchanged or percent-encoded.',
    characters: ['\u00c3\u00a9', '\u00e9'],
  }),
];
