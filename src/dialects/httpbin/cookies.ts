import { redirectWithCookies } from '../../endpoints/cookies.ts';
import { setCookie } from '../../http/cookies.ts';
import { fieldValue } from '../../http/fields.ts';
import { TOKEN_PATTERN } from '../../http/syntax.ts';
import { anyText, matching } from '../../server/params.ts';
import { override, queryOf, type Override } from '../../server/endpoint.ts';
import type { QueryPairs } from '../../http/query.ts';
import type { Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { EXPIRED, plainCookies, redirectResponses } from '../cookies.ts';
import { isForwardedHttps } from '../forwarded.ts';
import { flaskReply, JSON_TYPE } from './replies.ts';

/** A pair of a Cookie field, as Werkzeug reads it: the value may be absent, or a quoted string. */
const PAIR = /[ \t]*([^ \t=";]+)[ \t]*(?:=[ \t]*(?:("(?:[^\\"]|\\.)*"|[^ \t";]+)[ \t]*)?)?(?:;|$)/y;

/** Reads a Cookie field like Werkzeug. Of a repeated name, the first cookie is kept. */
export function werkzeugCookies(field: string): Record<string, string> {
  const cookies = new Map<string, string>();
  for (let at = 0; at < field.length;) {
    PAIR.lastIndex = at;
    const pair = PAIR.exec(field);
    if (pair) {
      const [, name = '', value = ''] = pair;
      if (!cookies.has(name)) cookies.set(name, unquoted(value));
      at = PAIR.lastIndex;
    } else {
      // What is no pair ends with the next semicolon.
      const semicolon = field.indexOf(';', at);
      at = semicolon < 0 ? field.length : semicolon + 1;
    }
  }
  return Object.fromEntries(cookies);
}

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  const bytes = Buffer.from(value.slice(1, -1)).toString('latin1');
  const unescaped = bytes.replace(/\\([0-3][0-7]{2}|.)/gs, (_, escaped: string) =>
    escaped.length === 1 ? escaped : String.fromCharCode(Number.parseInt(escaped, 8)),
  );
  return Buffer.from(unescaped, 'latin1').toString();
}

const NEEDS_NO_QUOTES = /^[\w!#$%&'()*+\-./:<=>?@[\]^`{|}~]*$/;
const ESCAPED = new RegExp(String.raw`[\x00-\x1f",;\\\x7f-\xff]`, 'g');

/** The value as Werkzeug writes it: quoted with octal escapes, unless it consists of certain ASCII characters. */
export function quoted(value: string): string {
  if (NEEDS_NO_QUOTES.test(value)) return value;
  const bytes = Buffer.from(value).toString('latin1');
  const text = bytes.replace(ESCAPED, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${text}"`;
}

/** The first pair of each name. */
function firstOfEach(pairs: QueryPairs): QueryPairs {
  const first = new Map<string, string>();
  for (const [name, value] of pairs) if (!first.has(name)) first.set(name, value);
  return [...first];
}

function setAll(request: Request, pairs: QueryPairs): Reply {
  const attributes = { path: '/', secure: isForwardedHttps(request) };
  return redirectWithCookies(pairs, (name, value) => setCookie(name, quoted(value), attributes));
}

export const cookies: readonly Override[] = [
  ...plainCookies({
    type: JSON_TYPE,
    values: 'Secure over TLS',
    show: ({ fields }) =>
      flaskReply({ cookies: werkzeugCookies(fieldValue(fields, 'cookie') ?? '') }),
    set: (request) => setAll(request, firstOfEach(queryOf(request))),
    remove: (request) =>
      redirectWithCookies(
        firstOfEach(queryOf(request)),
        (name) => `${setCookie(name, '', {})}${EXPIRED}; Max-Age=0; Path=/`,
      ),
  }),
  override('/cookies/set/{name}/{value}', {
    params: {
      name: matching(TOKEN_PATTERN, 'is not a token', { description: 'A token.' }),
      value: anyText('Quoted as Werkzeug does.'),
    },
    responses: redirectResponses(),
    handle: ({ request, params: { name, value } }) => setAll(request, [[name, value]]),
  }),
];
