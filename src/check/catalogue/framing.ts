import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { outcomeOf, valueOf, valuesOf } from '../message.ts';
import { receivedOf, type Received } from '../origin.ts';
import { expectSame, fail, pass } from '../verdict.ts';
import { withoutEcho } from './received.ts';
import { isRefused, judgeRefusal, rawRequest, type Attempt } from './refusal.ts';

export const FRAMING = {
  section: 'RFC 9112 6.3',
  level: 'must',
  risk: 'security',
  fronts: ['http/1.1'],
} as const;

/** A check that a malformed request is refused, or forwarded in a form that is safe. */
export function refused({
  lines,
  content = '',
  ...rule
}: FamilyRule & {
  readonly lines: readonly string[];
  readonly content?: string;
  readonly isSafe?: (received: Received) => boolean;
  readonly mayWait?: boolean;
}): TopicCheck {
  return isRefused({ ...rule, request: { method: 'POST', lines, content } });
}

function hasNoFirstField({ fields }: Received): boolean {
  return !fields.some(([name, value]) => /x-check-first/i.test(name + value));
}

/** Whether the origin received two bytes of content, with at most one Content-Length. */
function hasTwoBytes({ fields, content }: Received): boolean {
  return ['2', ''].includes(valuesOf(fields, 'content-length').join()) && content.length === 2;
}

/** Requests whose end is not clear (RFC 9112 6), and malformed header sections (RFC 9112 5). */
export const framingChecks = topic(FRAMING, [
  refused({
    id: 'framing/length-and-chunked',
    rule: 'A request with Content-Length and chunked is refused, or forwarded without Content-Length.',
    isDestructive: true,
    lines: ['Content-Length: 4', 'Transfer-Encoding: chunked'],
    content: '2\r\nab\r\n0\r\n\r\n',
    isSafe: ({ content, fields }) =>
      content.toString() === 'ab' &&
      !(
        valuesOf(fields, 'content-length').length > 0 &&
        valuesOf(fields, 'transfer-encoding').length > 0
      ),
  }),
  refused({
    id: 'framing/two-lengths',
    rule: 'A request with two different values of Content-Length is refused.',
    isDestructive: true,
    lines: ['Content-Length: 2', 'Content-Length: 3'],
    content: 'ab',
  }),
  refused({
    id: 'framing/same-length-twice',
    rule: 'A repeated Content-Length with the same value is refused, or forwarded as one field.',
    lines: ['Content-Length: 2', 'Content-Length: 2'],
    content: 'ab',
    isSafe: hasTwoBytes,
  }),
  refused({
    id: 'framing/length-list',
    rule: 'A Content-Length with a list of identical values is refused, or forwarded as one value.',
    lines: ['Content-Length: 2, 2'],
    content: 'ab',
    isSafe: hasTwoBytes,
  }),
  refused({
    id: 'framing/length-sign',
    rule: 'A Content-Length with a sign is refused.',
    lines: ['Content-Length: +2'],
    content: 'ab',
  }),
  refused({
    id: 'framing/length-hex',
    rule: 'A Content-Length in hexadecimal is refused.',
    lines: ['Content-Length: 0x2'],
    content: 'ab',
  }),
  refused({
    id: 'framing/length-empty',
    rule: 'An empty Content-Length is refused.',
    lines: ['Content-Length:'],
  }),
  refused({
    id: 'framing/coding-unknown',
    rule: 'A request whose only transfer coding is unknown is refused, because its end cannot be determined.',
    isDestructive: true,
    lines: ['Transfer-Encoding: x-check'],
    content: '0\r\n\r\n',
  }),
  refused({
    id: 'framing/coding-after-chunked',
    rule: 'A request whose final transfer coding is not chunked is refused, because its end cannot be determined.',
    isDestructive: true,
    lines: ['Transfer-Encoding: chunked, x-check'],
    content: '0\r\n\r\n',
  }),
  refused({
    id: 'framing/chunked-twice',
    section: 'RFC 9112 6.1',
    rule: 'A request with chunked applied twice is refused, or forwarded with chunked applied once.',
    isDestructive: true,
    lines: ['Transfer-Encoding: chunked, chunked'],
    content: '2\r\nab\r\n0\r\n\r\n',
    isSafe: ({ content, fields }) =>
      content.toString() === 'ab' && valueOf(fields, 'transfer-encoding') !== 'chunked, chunked',
  }),
  refused({
    id: 'framing/coding-spelling',
    section: 'RFC 9112 6.1',
    rule: 'A Transfer-Encoding value with a control character is refused.',
    isDestructive: true,
    lines: ['Transfer-Encoding: \u000bchunked'],
    content: '0\r\n\r\n',
  }),
  refused({
    id: 'framing/coding-space-before-colon',
    section: 'RFC 9112 5.1',
    rule: 'Whitespace between Transfer-Encoding and its colon is refused with 400.',
    isDestructive: true,
    lines: ['Transfer-Encoding : chunked'],
    content: '0\r\n\r\n',
  }),
  refused({
    id: 'framing/chunk-size-prefix',
    // The chunk size does not match the grammar. RFC 9112 7.1 has a MUST for too large sizes only.
    section: 'RFC 9112 2.2',
    level: 'should',
    rule: 'A chunk size with the prefix 0x is refused.',
    isDestructive: true,
    lines: ['Transfer-Encoding: chunked'],
    content: '0x2\r\nab\r\n0\r\n\r\n',
  }),
  refused({
    id: 'framing/chunk-size-sign',
    section: 'RFC 9112 2.2',
    level: 'should',
    rule: 'A chunk size with a sign is refused.',
    isDestructive: true,
    lines: ['Transfer-Encoding: chunked'],
    content: '+2\r\nab\r\n0\r\n\r\n',
  }),
  refused({
    id: 'framing/chunk-size-overflow',
    section: 'RFC 9112 7.1',
    rule: 'A chunk size that overflows an integer is refused, or as much content is waited for.',
    // Integers without a bound, as of Python, do not overflow.
    mayWait: true,
    isDestructive: true,
    lines: ['Transfer-Encoding: chunked'],
    content: '10000000000000002\r\nab\r\n0\r\n\r\n',
  }),
  {
    id: 'framing/chunk-extension',
    section: 'RFC 9112 7.1.1',
    rule: 'Unknown chunk extensions are ignored.',
    risk: 'interop',
    async run(session) {
      const tag = session.newTag();
      const request = rawRequest(session, tag, {
        method: 'POST',
        lines: ['Transfer-Encoding: chunked'],
        content: '2;check=1\r\nab\r\n0\r\n\r\n',
      });
      const transfer = await session.raw(request, 'POST');
      const content = receivedOf(transfer, tag)?.content.toString();
      return expectSame('ab', content ?? outcomeOf(transfer), transfer);
    },
  },
  refused({
    id: 'framing/chunk-bare-lf',
    section: 'RFC 9112 7.1',
    rule: 'A chunk line that ends in a bare LF is refused, or its content is forwarded unchanged.',
    isDestructive: true,
    level: 'should',
    lines: ['Transfer-Encoding: chunked'],
    content: '2\nab\n0\n\n',
    isSafe: ({ content }) => content.toString() === 'ab',
  }),
  refused({
    id: 'framing/obs-fold',
    section: 'RFC 9112 5.2',
    rule: 'An obsolete line fold in a request is refused, or replaced by spaces.',
    lines: ['X-Check-Fold: a', ' b', 'Content-Length: 0'],
    isSafe: ({ fields }) => /^a +b$/.test(valueOf(fields, 'x-check-fold') ?? ''),
  }),
  refused({
    id: 'framing/space-before-colon',
    section: 'RFC 9112 5.1',
    rule: 'Whitespace between a field name and its colon is refused with 400.',
    lines: ['X-Check-Space : a', 'Content-Length: 0'],
  }),
  refused({
    id: 'framing/no-colon',
    section: 'RFC 9112 2.2',
    rule: 'A header line without a colon is refused, or not forwarded as a field.',
    level: 'should',
    lines: ['X-Check-Line', 'Content-Length: 0'],
    isSafe: ({ fields }) => valuesOf(fields, 'x-check-line').length === 0,
  }),
  refused({
    id: 'framing/nul',
    section: 'RFC 9110 5.5',
    rule: 'A NUL in a field value is refused, or replaced by a space.',
    lines: ['X-Check-Nul: a\0b', 'Content-Length: 0'],
    isSafe: ({ fields }) => valueOf(fields, 'x-check-nul') === 'a b',
  }),
  refused({
    id: 'framing/bare-cr',
    section: 'RFC 9112 2.2',
    rule: 'A bare CR in the header section is refused, or replaced by a space.',
    lines: ['X-Check-Cr: a\rX-Check-Hidden: b', 'Content-Length: 0'],
    isSafe: ({ fields }) => valueOf(fields, 'x-check-cr') === 'a X-Check-Hidden: b',
  }),
  isRefused({
    id: 'framing/first-line-space',
    section: 'RFC 9112 2.2',
    rule: 'A line that starts with whitespace after the request line is refused, or dropped.',
    expected: 'refused, or dropped',
    isSafe: hasNoFirstField,
    change: (bytes) => bytes.replace('\r\n', '\r\n X-Check-First: a\r\n'),
  }),
  refused({
    id: 'framing/name-empty',
    section: 'RFC 9110 5.1',
    rule: 'A field with an empty name is refused, or not forwarded.',
    level: 'should',
    lines: [': value', 'Content-Length: 0'],
    isSafe: ({ fields }) => fields.every(([name, value]) => name !== '' && value !== 'value'),
  }),
  isRefused({
    id: 'framing/bare-lf',
    section: 'RFC 9112 2.2',
    rule: 'Whether lines that end in a bare LF are accepted.',
    level: 'info',
    risk: 'interop',
    isSafe: () => true,
    change: (bytes) => bytes.replaceAll('\r\n', '\n'),
  }),
  isRefused({
    id: 'framing/version',
    section: 'RFC 9110 2.5',
    rule: 'A request with an unknown HTTP version is refused, or forwarded as HTTP/1.1.',
    level: 'should',
    risk: 'interop',
    request: { version: 'HTTP/3.7' },
    expected: '400 or 505',
    isSafe: ({ version }) => version !== 'HTTP/3.7',
  }),
]);

/** Spellings of Transfer-Encoding that one recipient may take for chunked, and another may not. */
const OBFUSCATED = [
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked-x',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;',
  'Transfer-Encoding: ,chunked,x',
  'Transfer-Encoding: identity',
  'Transfer-Encoding:',
  'Transfer-Encoding: chunked\u0000',
  'Transfer-Encoding: chunked\u00a0',
];

/** Whether the origin saw no Transfer-Encoding, so that the content ends at Content-Length for it, too. */
const endsAtLength = ({ fields, content }: Received): boolean =>
  content.toString() === '0\r\n\r\n' &&
  !fields.some(([name]) => /^transfer-encoding$/i.test(name.trim()));

/** Forms of chunked coding and Transfer-Encoding that recipients are known to parse differently. */
export const framingFormChecks = topic({ ...FRAMING, isDestructive: true }, [
  {
    id: 'framing/coding-obfuscated',
    rule: 'A Transfer-Encoding beside Content-Length that is spelled so that it may be taken for chunked is refused, or not forwarded.',
    needs: ['gateway'],
    observes: 'refusal',
    async run(session) {
      const send = async (...lines: readonly string[]): Promise<Attempt> => {
        const tag = session.newTag();
        const request = { method: 'POST', lines: ['Content-Length: 5', ...lines] };
        const bytes = rawRequest(session, tag, { ...request, content: '0\r\n\r\n' });
        return { tag, transfer: await session.raw(bytes, 'POST') };
      };
      for (const line of OBFUSCATED) {
        const verdict = await judgeRefusal(
          session,
          () => send(line),
          () => send(),
          {
            expected: `${JSON.stringify(line)} refused, or not forwarded`,
            isSafe: endsAtLength,
            mayBeCutOff: true,
          },
        );
        if (verdict.outcome !== 'pass') return verdict;
      }
      return { outcome: 'pass', found: `${OBFUSCATED.length} spellings` };
    },
  },
  refused({
    id: 'framing/coding-two-lines',
    rule: 'Transfer-Encoding on two lines whose final coding is not chunked is refused.',
    lines: ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
    content: '0\r\n\r\n',
  }),
  refused({
    id: 'framing/chunk-extension-lf',
    section: 'RFC 9112 2.2',
    rule: 'A bare LF in a chunk extension is refused, or ends the line for the origin, too.',
    level: 'should',
    lines: ['Transfer-Encoding: chunked'],
    content: '2;\nxx\r\n0\r\n\r\n',
    isSafe: ({ content }) => content.toString() === 'xx',
  }),
  refused({
    id: 'framing/chunk-no-crlf',
    // The message does not match the grammar.
    section: 'RFC 9112 2.2',
    level: 'should',
    rule: 'A chunk whose content is not followed by CRLF is refused.',
    lines: ['Transfer-Encoding: chunked'],
    content: '2\r\nab0\r\n\r\n',
  }),
  refused({
    id: 'framing/chunk-too-long',
    // The message does not match the grammar.
    section: 'RFC 9112 2.2',
    level: 'should',
    rule: 'A chunk with more content than its size says is refused.',
    lines: ['Transfer-Encoding: chunked'],
    content: '2\r\nabc\r\n0\r\n\r\n',
  }),
  {
    id: 'framing/http10-chunked',
    section: 'RFC 9112 6.1',
    rule: 'After a request of HTTP/1.0 with Transfer-Encoding, whose framing is faulty, the connection is closed.',
    needs: ['gateway'],
    observes: 'target',
    async run(session) {
      const client = await session.openHttp1();
      const request = rawRequest(session, session.newTag(), {
        method: 'POST',
        version: 'HTTP/1.0',
        lines: ['Connection: keep-alive', 'Transfer-Encoding: chunked'],
        content: '2\r\nab\r\n0\r\n\r\n',
      });
      const first = await session.rawOn(client, request, 'POST');
      if (first.ending === 'timeout') return fail('closed', 'no response in time', first);
      const next = await session.echoOn(client);
      if (!next.transfer.response) return pass(`${outcomeOf(first)}, then closed`);
      const found = next.received ? 'the next request is served' : `then ${withoutEcho(next)}`;
      return fail('closed', `${outcomeOf(first)}, ${found}`, first, next.transfer);
    },
  },
]);
