import type { Check, FamilyRule } from '../check.ts';
import { expectSame, fail, notApplicable, pass } from '../verdict.ts';
import { outcomeOf } from '../message.ts';
import { rawTarget } from '../origin.ts';
import { withoutEcho } from './received.ts';

/** Number of requests that follow, one of which may get the extra bytes as its response. */
export const FOLLOWERS = 3;
/** The extra bytes after a response: a response that the origin sends to no other request. */
const POISON = 'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison';

/**
 * A check that bytes which the origin sends after a response has ended are not taken for the response to another
 * request (RFC 9112 6.3). The origin keeps the connection, so that the target may use it again.
 */
function isDropped({
  head,
  method = 'GET',
  ...rule
}: FamilyRule & { readonly head: string; readonly method?: string }): Check {
  return {
    section: 'RFC 9112 6.3',
    level: 'must',
    risk: 'security',
    needs: ['raw', 'http1-origin', 'gateway'],
    isDestructive: true,
    ...rule,
    async run(session) {
      const target = `${rawTarget(`${head}\r\n\r\n${POISON}`)}&then=keep`;
      const first = await session.send({ method, target });
      if (first.received.includes('poison'))
        return fail('a response that ends where it should', 'bytes after its end', first);
      for (let follower = 0; follower < FOLLOWERS; follower++) {
        const echo = await session.echo();
        if (echo.transfer.received.includes('poison'))
          return fail(
            'its own response',
            'bytes after that of another request',
            first,
            echo.transfer,
          );
        if (!echo.received)
          return fail('the next request is served', withoutEcho(echo), echo.transfer);
      }
      return pass(outcomeOf(first));
    },
  };
}

const EMPTY = 'HTTP/1.1 200 OK\r\nContent-Length: 0';

/** Checks of bytes that follow a complete response of the origin, and of content where a response has none. */
export const leftoverChecks: readonly Check[] = [
  isDropped({
    id: 'origin/bytes-after',
    rule: 'Bytes after the end of a response are not taken for the response to another request.',
    head: EMPTY,
  }),
  isDropped({
    id: 'origin/204-with-content',
    section: 'RFC 9110 15.3.5',
    rule: '204 ends with its header section, also if bytes follow.',
    head: 'HTTP/1.1 204 No Content',
  }),
  isDropped({
    id: 'origin/304-with-content',
    section: 'RFC 9110 15.4.5',
    rule: '304 ends with its header section, also if bytes follow.',
    head: 'HTTP/1.1 304 Not Modified\r\nETag: "a"',
  }),
  isDropped({
    id: 'origin/head-with-content',
    section: 'RFC 9110 9.3.2',
    rule: 'A response to HEAD ends with its header section, also if bytes follow.',
    head: `HTTP/1.1 200 OK\r\nContent-Length: ${POISON.length}`,
    method: 'HEAD',
  }),
  {
    id: 'response/error-content',
    section: 'RFC 9110 15.6',
    rule: 'The content of an error response of the origin is forwarded.',
    level: 'quality',
    risk: 'data-loss',
    needs: ['raw', 'http1-origin'],
    async run(session) {
      const content = 'the problem in words';
      const head = `HTTP/1.1 503 Service Unavailable\r\nContent-Length: ${content.length}`;
      const transfer = await session.send({ target: rawTarget(`${head}\r\n\r\n${content}`) });
      const { status } = transfer.response ?? {};
      if (status !== 503) return notApplicable(`503 is not forwarded: ${outcomeOf(transfer)}`);
      return expectSame(content, transfer.response?.content.toString() ?? '', transfer);
    },
  },
];
