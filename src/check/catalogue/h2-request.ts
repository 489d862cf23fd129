import { Flag, FrameType } from '../../wire/http2/frame.ts';
import { topic, type Check, type FamilyRule, type TopicCheck } from '../check.ts';
import { valuesOf, type FieldLine } from '../message.ts';
import { hostsOf, TAG, type Received } from '../origin.ts';
import type { Session } from '../session.ts';
import { judgeRefusal, type Attempt } from './refusal.ts';

const H2 = {
  section: 'RFC 9113 8.1.1',
  level: 'must',
  risk: 'security',
  fronts: ['h2'],
  needs: ['gateway'],
} as const;

/** Pseudo-header fields of a request to `/anything`. */
export function pseudo(session: Session, tag: string, method = 'GET'): FieldLine[] {
  return [
    [':method', method],
    [':scheme', session.target.isSecure ? 'https' : 'http'],
    [':authority', session.target.authority],
    [':path', `/anything/${tag}`],
  ];
}

/** A check that malformed HEADERS are refused, or forwarded in a form that is safe. */
function refused({
  fieldsOf,
  isSafe,
  content,
  mayForward = false,
  ...rule
}: FamilyRule & {
  readonly fieldsOf: (ordinary: FieldLine[]) => FieldLine[];
  readonly isSafe?: (received: Received) => boolean;
  readonly content?: string;
  readonly mayForward?: boolean;
}): TopicCheck {
  return {
    ...rule,
    observes: 'refusal',
    async run(session) {
      const send = async (change: (ordinary: FieldLine[]) => FieldLine[]): Promise<Attempt> => {
        const tag = session.newTag();
        const client = await session.openHttp2();
        const method = content === undefined ? 'GET' : 'POST';
        const ordinary = [...pseudo(session, tag, method), [TAG.toLowerCase(), tag] as const];
        const stream = client.begin(change(ordinary), content === undefined);
        if (content !== undefined)
          client.sendFrame(FrameType.data, Flag.endStream, stream.id, Buffer.from(content));
        return { tag, transfer: session.record(await client.finish(stream, session.time)) };
      };
      // Content-Length is written anew by the target, and pseudo-header fields do not exist in HTTP/1.1.
      const malformed = fieldsOf([]).find(([name]) => !/^(?::|content-length$)/.test(name));
      return judgeRefusal(
        session,
        () => send(fieldsOf),
        () => send(wellFormed(content)),
        {
          expected: 'RST_STREAM, GOAWAY or 400',
          isSafe,
          mayForward,
          mayBeCutOff: content !== undefined,
          malformed,
        },
      );
    },
  };
}

/** With Content-Length, because some servers require it. */
const wellFormed =
  (content: string | undefined) =>
  (ordinary: FieldLine[]): FieldLine[] =>
    content === undefined ? ordinary : [...ordinary, ['content-length', String(content.length)]];

/** A value by which the malformed field can be found at the origin. */
const MARK = 'check-malformed-name';

const withField =
  (...lines: readonly FieldLine[]) =>
  (ordinary: FieldLine[]): FieldLine[] => [...ordinary, ...lines];

const before =
  (name: string, value: string) =>
  (ordinary: FieldLine[]): FieldLine[] => [[name, value], ...ordinary];

const without =
  (name: string) =>
  (ordinary: FieldLine[]): FieldLine[] =>
    ordinary.filter(([each]) => each !== name);

const replaced =
  (name: string, value: string) =>
  (ordinary: FieldLine[]): FieldLine[] =>
    ordinary.map((line) => (line[0] === name ? [name, value] : line));

const FIELDS = 'RFC 9113 8.2.1';
const CONNECTION = 'RFC 9113 8.2.2';
const PSEUDO = 'RFC 9113 8.3';
const REQUEST = 'RFC 9113 8.3.1';

/** Whether host and path at the origin contain nothing of the malformed `:scheme`. */
const isWithoutScheme = (received: Received): boolean =>
  /^\/anything\/check-[\da-f]{12}$/.test(received.path) &&
  !hostsOf(received).some((host) => /other\.example|x-check/i.test(host));

/** A check of a request whose fields make it malformed. @param what describes the fields */
const malformed = (
  id: Check['id'],
  section: string,
  what: string,
  fieldsOf: (ordinary: FieldLine[]) => FieldLine[],
  risk: TopicCheck['risk'] = 'security',
): TopicCheck =>
  refused({ id, section, rule: `${what} makes a request malformed.`, risk, fieldsOf });

/** Malformed requests on HTTP/2 at the front (RFC 9113 8). */
export const http2RequestChecks = topic(H2, [
  malformed(
    'h2/uppercase',
    FIELDS,
    'An upper-case field name',
    withField(['X-Check', MARK]),
    'interop',
  ),
  malformed('h2/name-space', FIELDS, 'A field name with a space', withField(['x check', MARK])),
  malformed('h2/name-colon', FIELDS, 'A field name with a colon', withField(['x:check', MARK])),
  refused({
    id: 'h2/name-empty',
    section: FIELDS,
    rule: 'An empty field name makes a request malformed.',
    // The name breaks only the grammar of field names, which implementations should validate.
    level: 'should',
    fieldsOf: withField(['', MARK]),
  }),
  refused({
    id: 'h2/value-crlf',
    section: FIELDS,
    rule: 'CR LF in a field value, which would add a field in HTTP/1.1, makes a request malformed.',
    fieldsOf: withField(['x-check', 'a\r\nx-hidden: b']),
  }),
  malformed('h2/value-lf', FIELDS, 'LF in a value', withField(['x-check', 'a\nx-hidden: b'])),
  refused({
    id: 'h2/value-nul',
    section: FIELDS,
    rule: 'NUL in a value makes a request malformed.',
    fieldsOf: withField(['x-check', 'a\0b']),
  }),
  refused({
    id: 'h2/value-space',
    section: FIELDS,
    rule: 'A field value with a leading space makes a request malformed; the origin must not receive the space.',
    level: 'should',
    risk: 'interop',
    fieldsOf: withField(['x-check', ' a']),
    isSafe: ({ fields }) =>
      valuesOf(fields, 'x-check').join() === 'a' || valuesOf(fields, 'x-check').length === 0,
  }),
  malformed(
    'h2/connection',
    CONNECTION,
    'A Connection field',
    withField(['connection', 'x-check'], ['x-check', 'a']),
  ),
  malformed(
    'h2/transfer-encoding',
    CONNECTION,
    'A Transfer-Encoding field',
    withField(['transfer-encoding', 'chunked']),
  ),
  malformed(
    'h2/keep-alive',
    CONNECTION,
    'A Keep-Alive field',
    withField(['keep-alive', 'timeout=5']),
    'interop',
  ),
  malformed('h2/upgrade', CONNECTION, 'An Upgrade field', withField(['upgrade', 'h2c'])),
  malformed(
    'h2/te',
    CONNECTION,
    'A TE field other than trailers',
    withField(['te', 'gzip']),
    'interop',
  ),
  malformed('h2/late-pseudo', PSEUDO, 'A pseudo-header field after a regular one', (ordinary) => [
    ...ordinary.filter(([name]) => name !== ':path'),
    ...ordinary.filter(([name]) => name === ':path'),
  ]),
  malformed(
    'h2/repeated-path',
    PSEUDO,
    'A repeated pseudo-header field',
    before(':path', '/anything/other'),
  ),
  malformed(
    'h2/repeated-authority',
    PSEUDO,
    'A repeated :authority',
    before(':authority', 'other.example'),
  ),
  malformed(
    'h2/unknown-pseudo',
    PSEUDO,
    'An unknown pseudo-header field',
    before(':check', 'a'),
    'interop',
  ),
  malformed('h2/response-pseudo', PSEUDO, 'A :status', before(':status', '200'), 'interop'),
  malformed('h2/no-path', REQUEST, 'A missing :path', without(':path'), 'interop'),
  malformed('h2/no-method', REQUEST, 'A missing :method', without(':method'), 'interop'),
  malformed('h2/no-scheme', REQUEST, 'A missing :scheme', without(':scheme'), 'interop'),
  malformed('h2/empty-path', REQUEST, 'An empty :path', replaced(':path', ''), 'interop'),
  refused({
    id: 'h2/path-space',
    section: REQUEST,
    rule: 'A :path with a space, which would change the request line in HTTP/1.1, is refused or encoded.',
    fieldsOf: (ordinary) =>
      ordinary.map((line) => (line[0] === ':path' ? [':path', `${line[1]} HTTP/1.1`] : line)),
    isSafe: ({ path }) => path.endsWith('%20HTTP/1.1'),
  }),
  refused({
    id: 'h2/method-space',
    section: REQUEST,
    rule: 'A :method with a space, which would change the request line in HTTP/1.1, is refused.',
    fieldsOf: replaced(':method', 'GET /other'),
  }),
  refused({
    id: 'h2/scheme-unknown',
    section: REQUEST,
    rule: 'A request whose :scheme is neither http nor https is refused, or arrives with its own host and path.',
    fieldsOf: replaced(':scheme', 'x-check'),
    isSafe: isWithoutScheme,
    mayForward: true,
  }),
  refused({
    id: 'h2/scheme-url',
    section: REQUEST,
    rule: 'A request with a URL as :scheme is refused, or arrives with its own host and path.',
    fieldsOf: replaced(':scheme', 'http://other.example/check?'),
    isSafe: isWithoutScheme,
    mayForward: true,
  }),
  refused({
    id: 'h2/authority-userinfo',
    section: REQUEST,
    rule: 'An :authority with userinfo is refused.',
    level: 'should',
    fieldsOf: (ordinary) =>
      ordinary.map((line) => (line[0] === ':authority' ? [':authority', `user@${line[1]}`] : line)),
  }),
  refused({
    id: 'h2/length-short',
    rule: 'A request with less DATA than content-length is malformed.',
    fieldsOf: withField(['content-length', '10']),
    content: 'short',
  }),
  refused({
    id: 'h2/length-long',
    rule: 'A request with more DATA than content-length is malformed.',
    fieldsOf: withField(['content-length', '2']),
    content: 'longer',
  }),
  refused({
    id: 'h2/length-twice',
    rule: 'A request with two different content-length values is malformed.',
    fieldsOf: withField(['content-length', '7'], ['content-length', '8']),
    content: 'content',
  }),
]);
