import { get, type Case } from './_case.ts';
import type { Group } from './_cases.ts';

/** A response of HTTP/1.1 as it is on the wire, after which wirebin keeps the connection, or closes it. */
export function raw(
  label: string,
  lines: readonly string[],
  content = '',
  more: Partial<Case> = {},
): Case {
  const message = Buffer.from([...lines, '', content].join('\r\n'));
  return get(`/raw?then=keep&base64=${message.toString('base64url')}`, { label, ...more });
}

const closing = ({ path, ...rest }: Case): Case => ({
  ...rest,
  path: path.replace('then=keep', 'then=close'),
});

const OK = 'HTTP/1.1 200 OK';
const FIVE = 'Content-Length: 5';
const next = 'GET /healthz';

export const messageCases: readonly Case[] = [
  raw('`Content-Length: 5` twice', [OK, FIVE, FIVE], 'hello'),
  raw('`Content-Length: 5, 5`', [OK, 'Content-Length: 5, 5'], 'hello'),
  raw('`Content-Length: +5`', [OK, 'Content-Length: +5'], 'hello'),
  closing(raw('No length, then FIN', [OK], 'hello')),
  closing(raw('HTTP/1.0 without a length, then FIN', ['HTTP/1.0 200 OK'], 'hello')),
  closing(
    raw('FIN after a response with a length; a second request', [OK, FIVE], 'hello', { next }),
  ),
  raw('More than Content-Length, connection kept; a second request', [OK, FIVE], 'hello, all', {
    next,
  }),
  closing(
    raw(
      '`Transfer-Encoding: gzip, chunked`',
      [OK, 'Transfer-Encoding: gzip, chunked'],
      '5\r\nhello\r\n0\r\n\r\n',
    ),
  ),
  raw('No space and reason after the status', ['HTTP/1.1 200', FIVE], 'hello'),
  raw('101 that was not asked for', ['HTTP/1.1 101 Switching Protocols', 'Upgrade: x'], ''),
];

export const emptyCases: Pick<Group, 'both' | 'only'> = {
  both: [
    get('/respond?status=204', { next }),
    get('/respond?status=205', { next }),
    get('/respond?status=304', { next }),
  ],
  only: {
    '1.1': [
      raw('204 with `Content-Length: 0`', ['HTTP/1.1 204 No Content', 'Content-Length: 0'], '', {
        next,
      }),
      raw('304 with `Content-Length: 0`', ['HTTP/1.1 304 Not Modified', 'Content-Length: 0'], '', {
        next,
      }),
      raw('304 with `Content-Length: 5`', ['HTTP/1.1 304 Not Modified', FIVE], '', { next }),
      raw('204 with `Content-Length: 5` and content', ['HTTP/1.1 204 No Content', FIVE], 'hello', {
        next,
      }),
    ],
  },
};
