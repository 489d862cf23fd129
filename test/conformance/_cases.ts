import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { converse, GET, LAST, openSocket, statusesOf } from '../_raw.ts';
import { startService, type Running } from '../_service.ts';

/** What becomes of the connection: the next request is answered, or nothing behind it is. */
type Then = 'usable' | 'closed';

/** The clause and what is sent, its bytes in latin1, the status of each answer, the connection. */
export type Case = readonly [name: string, bytes: string, statuses: number | number[], then: Then];

const HOST = 'Host: x\r\n';

/** A whole request, from a request line without its line end. */
export function request(line: string, fields = '', content = ''): string {
  return `${line}\r\n${HOST}${fields}\r\n${content}`;
}

/** A POST to the echo. */
export function post(fields: string, content = ''): string {
  return request('POST /anything HTTP/1.1', fields, content);
}

/** A POST to the echo with chunked content, as it stands on the wire. */
export function chunked(content: string): string {
  return post('Transfer-Encoding: chunked\r\n', content);
}

/** The most bytes of content in these cases. */
export const MAX_BODY = 1000;

/** Runs the cases in clear and over TLS, each with a request behind it on the same connection. */
export function conforms(cases: readonly Case[]): void {
  describe.each([
    ['in clear', undefined],
    ['over TLS', ['http/1.1']],
  ])('%s', (_, alpn) => {
    let running: Running;
    beforeAll(async () => {
      running = await startService('--max-body-size', String(MAX_BODY));
    });
    afterAll(() => {
      running.service.close();
      expect(running.logged.filter(({ level }) => Number(level) >= 40)).toEqual([]);
    });

    test.each(cases)('%s', async (_name, bytes, statuses, then) => {
      const socket = await openSocket(running.port, alpn);
      // A reset could take the answer from a client that is slower than this one.
      const closedInOrder = once(socket, 'end');
      const received = await converse(socket, bytes + GET('/healthz', LAST));
      await closedInOrder;
      socket.destroy();
      const answers = [statuses].flat();
      if (then === 'usable') {
        expect(statusesOf(received)).toEqual([...answers, 200]);
        expect(received).toMatch(/\r\n\r\nOK$/);
        return;
      }
      expect(statusesOf(received)).toEqual(answers);
      expect(received).toMatch(/^Connection: close$/im);
      if (Number(answers.at(-1)) >= 400) expectProblem(received, Number(answers.at(-1)));
    });
  });
}

/** The last answer is a whole problem document (RFC 9457) with the fields that every answer has. */
function expectProblem(received: string, status: number): void {
  const last = received.split(/(?=HTTP\/1\.1 \d{3} )/).at(-1) ?? '';
  const [head = '', content = ''] = last.split('\r\n\r\n');
  expect(head).toMatch(/^Content-Type: application\/problem\+json$/im);
  expect(head).toMatch(/^X-Request-Id: \S+$/im);
  expect(head).toMatch(/^Date: /im);
  expect(head).toMatch(new RegExp(`^Content-Length: ${content.length}$`, 'im'));
  expect(JSON.parse(content)).toMatchObject({ status });
}
