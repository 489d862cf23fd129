import { once } from 'node:events';
import { afterAll, describe, expect, test } from 'vitest';
import { converse, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { HTTP1, sharedService } from '../_shared.ts';

/** What becomes of the connection: the next request is served, or nothing after it is. */
type Then = 'usable' | 'closed';

/** The clause, the bytes to send (latin1), the expected statuses and state of the connection. */
export type Case = readonly [name: string, bytes: string, statuses: number | number[], then: Then];

/** Bytes after which the next request is served. */
export const usable = (name: string, bytes: string, statuses: number | number[] = 200): Case => [
  name,
  bytes,
  statuses,
  'usable',
];

/** Bytes after which nothing is. */
export const closed = (name: string, bytes: string, statuses: number | number[] = 400): Case => [
  name,
  bytes,
  statuses,
  'closed',
];

const HOST = 'Host: x\r\n';

/** A complete request; `line` has no line end. */
export function request(line: string, fields = '', content = ''): string {
  return `${line}\r\n${HOST}${fields}\r\n${content}`;
}

/** A POST to the echo. */
export function post(fields: string, content = ''): string {
  return request('POST /anything HTTP/1.1', fields, content);
}

/** A POST to the echo with content that is already chunked. */
export function chunked(content: string): string {
  return post('Transfer-Encoding: chunked\r\n', content);
}

/** Maximum content in these cases, in bytes. */
export const MAX_BODY = 1000;

/**
 * Runs the cases cleartext and over TLS, each followed by a request on the same connection.
 */
export function conforms(cases: readonly Case[]): void {
  describe.each(HTTP1)('%s', (_, alpn) => {
    const running = sharedService('--max-body-size', String(MAX_BODY));
    afterAll(() => {
      expect(running().logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    });

    test.each(cases)('%s', async (_name, bytes, statuses, then) => {
      const socket = await openSocket(running().port, alpn);
      // A reset could discard the response before a slower client reads it.
      const closedInOrder = once(socket, 'end');
      const received = await converse(socket, bytes + GET('/healthz', LAST));
      await closedInOrder;
      socket.destroy();
      const expected = [statuses].flat();
      if (then === 'usable') {
        expect(statusesOf(received)).toEqual([...expected, 200]);
        expect(received).toMatch(/\r\n\r\nOK$/);
        return;
      }
      expect(statusesOf(received)).toEqual(expected);
      expect(received).toMatch(/^Connection: close$/im);
      if (Number(expected.at(-1)) >= 400) expectProblem(received, Number(expected.at(-1)));
    });
  });
}

/** The last response is a complete problem document (RFC 9457) with the fields of every response. */
function expectProblem(received: string, status: number): void {
  const last = received.split(/(?=HTTP\/1\.1 \d{3} )/).at(-1) ?? '';
  const [head = '', content = ''] = last.split('\r\n\r\n');
  expect(head).toMatch(/^Content-Type: application\/problem\+json$/im);
  expect(head).toMatch(/^X-Request-Id: \S+$/im);
  expect(head).toMatch(/^Date: /im);
  expect(head).toMatch(new RegExp(`^Content-Length: ${content.length}$`, 'im'));
  expect(JSON.parse(content)).toMatchObject({ status });
}
