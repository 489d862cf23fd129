import { pathMatches } from '../../http/cookies.ts';
import { topic } from '../check.ts';
import { outcomeOf, responseField } from '../message.ts';
import { TAG } from '../origin.ts';
import { differs, fail, pass } from '../verdict.ts';
import { cookieLines } from './cookie.ts';

/** Duties of a target that removes a prefix from paths: applications know only their own paths. */
const PREFIX = {
  section: 'RFC 3986 5.2.4',
  level: 'quality',
  risk: 'interop',
  needs: ['gateway', 'removed-prefix'],
} as const;

/** A cookie that an application sets for a part of its paths. */
const COOKIE = 'check=1; HttpOnly; Path=/check';

/** The path of a cookie: its last Path, or the request's path if that is not absolute (RFC 6265 5.2.4, 5.3). */
function cookiePathOf(cookie: string, prefix: string): string {
  const [, path = ''] = Array.from(cookie.matchAll(/;\s*path=([^;]*)/gi)).at(-1) ?? [];
  return path.startsWith('/') ? path : prefix;
}

/** Suffixes of a prefix that lead to paths outside of it. */
const WAYS_OUT = [
  // Where the prefix is matched as text, without its slash.
  '../anything/',
  '/../anything/',
  '/..%2Fanything/',
  '/x/../../anything/',
];

/** Whether dot segments of a path lead above the root (RFC 3986 5.2.4). */
function leadsAboveRoot(target: string): boolean {
  const [, ...segments] = target.replace(/^https?:\/\/[^/]*/i, '').split('/');
  let depth = 0;
  return segments.some((segment) => {
    if (segment !== '.') depth += segment === '..' ? -1 : 1;
    return depth < 0;
  });
}

/** Redirects and cookies of an application below a prefix, and paths that escape it. */
export const prefixChecks = topic(PREFIX, [
  {
    id: 'target/prefix-location',
    remedy: { advice: 'Add the prefix to the path in the Location of responses.' },
    section: 'RFC 9110 10.2.2',
    rule: 'The prefix that the target removes is added back to Location, whether that is a path or a URL.',
    async run(session) {
      const { prefix, url } = session.target;
      for (const kind of ['relative', 'absolute']) {
        const transfer = await session.send({ target: `/${kind}-redirect/1` });
        const location = responseField(transfer, 'location');
        if (location === undefined || !URL.canParse(location, url.href))
          return differs(`${outcomeOf(transfer)} without a Location`, transfer);
        if (new URL(location, url).pathname !== `${prefix}/get`)
          return fail(`Location: ${prefix}/get`, `Location: ${location}`, transfer);
      }
      return pass();
    },
  },
  {
    id: 'cookie/prefix-path',
    remedy: { advice: 'Add the prefix to the Path of cookies.' },
    section: 'RFC 6265 5.1.4',
    rule: 'The Path of a cookie matches paths below the prefix that the target removes.',
    async run(session) {
      const { prefix } = session.target;
      const target = `/response-headers?Set-Cookie=${encodeURIComponent(COOKIE)}`;
      const transfer = await session.send({ target });
      const [cookie = 'no Set-Cookie'] = cookieLines(transfer, 'check');
      // What the application serves at /check.
      const isFound = pathMatches(`${prefix}/check`, cookiePathOf(cookie, prefix));
      return /^check=1(?:;|$)/.test(cookie) && isFound
        ? pass(cookie)
        : fail(`Path=${prefix}/check`, cookie, transfer);
    },
  },
  {
    id: 'target/prefix-left',
    remedy: { advice: 'Resolve dot segments first, and match the prefix with the slash after it.' },
    rule: 'A path that escapes the prefix is refused, or forwarded without dot segments that lead above the root of the origin.',
    risk: 'security',
    fronts: ['http/1.1'],
    needs: [...PREFIX.needs, 'journal'],
    observes: 'target',
    async run(session) {
      const { prefix, authority } = session.target;
      const found: string[] = [];
      for (const way of WAYS_OUT) {
        const tag = session.newTag();
        const path = `${prefix}${way}${tag}`;
        const head = `GET ${path} HTTP/1.1\r\nHost: ${authority}\r\n${TAG}: ${tag}\r\n\r\n`;
        const transfer = await session.raw(head);
        const [entry] = await session.arrived(tag);
        if (entry && leadsAboveRoot(entry.target))
          return fail(
            'no dot segments above the root',
            `the origin receives ${entry.target}`,
            transfer,
          );
        if (entry) found.push(entry.target.replace(tag, 'TAG'));
      }
      return pass(found.length === 0 ? 'not forwarded' : `forwarded as ${found.join(', ')}`);
    },
  },
]);
