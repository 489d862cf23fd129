import { topic, type Level, type Risk, type TopicCheck } from '../check.ts';
import { expectSame } from '../verdict.ts';
import { valuesOf } from '../message.ts';
import { responds } from './response.ts';

/** A field of a response that no intermediary has a reason to change. */
interface EndToEnd {
  readonly name: string;
  /** The value of its line, or of each of its lines. */
  readonly value: string | readonly string[];
  /** A member of the list that intermediaries may add, in lower case. */
  readonly mayHave?: string;
  readonly section?: string;
  readonly risk?: Risk;
  readonly level?: Level;
}

/** Response fields that clients act on, each with a value that is easily changed by mistake. */
const FIELDS: readonly EndToEnd[] = [
  { name: 'Cache-Control', value: 'private, max-age=7, x-check="a, b"', section: 'RFC 9111 5.2' },
  {
    name: 'Vary',
    value: ['X-Check, Accept-Language', 'Origin'],
    // By an intermediary that would encode the content.
    mayHave: 'accept-encoding',
    section: 'RFC 9110 12.5.5',
  },
  { name: 'Last-Modified', value: 'Tue, 15 Nov 1994 12:45:26 GMT', section: 'RFC 9110 8.8.2' },
  { name: 'Expires', value: 'Thu, 01 Dec 1994 16:00:00 GMT', section: 'RFC 9111 5.3' },
  { name: 'Location', value: '/anything/a%2Fb?c=d#e=f', section: 'RFC 9110 10.2.2' },
  { name: 'Content-Location', value: '/anything/check', section: 'RFC 9110 8.7' },
  { name: 'Content-Type', value: 'text/x-check; charset="utf-8"', section: 'RFC 9110 8.3' },
  { name: 'Allow', value: 'GET, CHECK', section: 'RFC 9110 10.2.1' },
  {
    name: 'Accept-Query',
    value: '"application/x.check", text/plain;charset="UTF-8"',
    section: 'RFC 10008 3',
  },
  { name: 'Content-Language', value: 'de, en-CA', section: 'RFC 9110 8.5' },
  {
    name: 'Content-Disposition',
    value: `attachment; filename="a;b\\"c.txt"`,
    section: 'RFC 6266 4',
  },
  {
    name: 'Link',
    value: ['</check.css>; rel="preload"; as="style"', '</check>; rel="next"'],
    section: 'RFC 8288 3',
  },
  { name: 'Retry-After', value: '120', section: 'RFC 9110 10.2.3' },
  {
    name: 'WWW-Authenticate',
    value: ['Bearer realm="a, b"', 'Basic realm="c"'],
    section: 'RFC 9110 11.6.1',
    level: 'must',
    risk: 'security',
  },
  {
    name: 'Authentication-Info',
    value: 'nextnonce="a, b", qop=auth',
    section: 'RFC 9110 11.6.3',
    level: 'must',
    risk: 'security',
  },
  // For the next client only (RFC 9110 11.7.3), but proxies of one domain may pass it on.
  {
    name: 'Proxy-Authentication-Info',
    value: 'nextnonce="a, b"',
    section: 'RFC 9110 11.7.3',
    level: 'info',
    risk: 'security',
  },
  {
    name: 'Strict-Transport-Security',
    value: 'max-age=31536000; includeSubDomains',
    section: 'RFC 6797 6.1',
    risk: 'security',
  },
  {
    name: 'Content-Security-Policy',
    // Each line is a policy of its own, and all of them apply.
    value: ["default-src 'self'; img-src *", "frame-ancestors 'none'"],
    section: 'W3C CSP 3.1',
    risk: 'security',
  },
  { name: 'X-Frame-Options', value: 'DENY', section: 'RFC 7034 2', risk: 'security' },
  // A gateway may send its own Alt-Svc, or none.
  { name: 'Alt-Svc', value: 'h2="check.example:443"; ma=7', section: 'RFC 7838 3', level: 'info' },
];

/** A quoted string, or a comma outside with the whitespace around it, which is optional in a list (RFC 9110 5.6.1). */
const QUOTED_OR_COMMA = /("(?:[^"\\]|\\.)*")|(?<![ \t])[ \t]*,[ \t]*/g;

const arrives = ({ name, value, mayHave, ...rule }: EndToEnd): TopicCheck => {
  const lines = [value].flat();
  const query = lines.map((line) => `${encodeURIComponent(name)}=${encodeURIComponent(line)}`);
  const what = `${name} of the origin${lines.length > 1 ? `, in ${lines.length} lines,` : ''}`;
  return responds({
    id: `response/field-${name.toLowerCase()}`,
    rule: `${rule.level === 'info' ? `Whether ${what}` : what} is forwarded once and unchanged.`,
    ...rule,
    message: { target: `/response-headers?${query.join('&')}` },
    judge: (transfer) => {
      // RFC 9110 5.3: an intermediary may combine field lines, in order.
      const found = valuesOf(transfer.response?.fields ?? [], name)
        .join(lines.length > 1 ? ', ' : ' | ')
        .replace(QUOTED_OR_COMMA, (_, quoted?: string) => quoted ?? ', ')
        .split(', ')
        .filter((member) => member.toLowerCase() !== mayHave)
        .join(', ');
      const missing = `${transfer.response?.status} without the field`;
      return expectSame(lines.join(', '), found || missing, transfer);
    },
  });
};

/** Fields of responses that arrive once and unchanged. */
export const responseFieldChecks = topic(
  { section: 'RFC 9110 5.1', risk: 'interop', level: 'quality' },
  FIELDS.map(arrives),
);
