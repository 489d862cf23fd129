import { topic } from '../check.ts';
import { fail, pass } from '../verdict.ts';
import { outcomeOf } from '../message.ts';
import type { Received } from '../origin.ts';
import { withoutEcho } from './received.ts';
import { FRAMING, refused } from './framing.ts';
import { judgeRefusal, rawRequest, type Attempt } from './refusal.ts';

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
