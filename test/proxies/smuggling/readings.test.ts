import { expect, test } from 'vitest';
import { sharedService } from '../../_shared.ts';
import { exchange, LAST } from '../../_raw.ts';
import type { ReadRequest } from '../../fuzz/http1/reading.ts';
import { MARK } from './_fronts.ts';
import { disagreements } from './_readings.ts';

const running = sharedService();

const marked = (mark: string, lines: string, content = ''): string =>
  `POST /anything HTTP/1.1\r\nHost: x\r\n${MARK}: ${mark}\r\n${lines}\r\n${content}`;
const other: ReadRequest = { method: '', target: '', fields: [], content: 'a', trailers: [] };

async function judged(sent: string, ...reference: readonly ReadRequest[]): Promise<string[]> {
  return disagreements({ sent, answered: await exchange(running().port, sent) }, reference);
}

test('requests as they were forwarded', async () => {
  const sent = marked('1', 'Content-Length: 1\r\n', 'a') + marked('2', LAST);
  expect(await judged(sent, other)).toEqual([]);
});

test('a request that the proxy did not forward', async () => {
  const hidden = 'GET /anything/hidden HTTP/1.1\r\nHost: x\r\n\r\n';
  expect(await judged(marked('1', '', hidden) + marked('2', LAST))).toEqual([
    'request 2: marked , forwarded as 2',
    'request 3: marked 2, forwarded as undefined',
    'more requests read than forwarded',
  ]);
});

test('a request in the content of another one', async () => {
  const second = marked('2', '');
  const first = marked('1', `Content-Length: ${second.length}\r\n`, second);
  expect(await judged(first + marked('3', LAST))).toEqual(['request 2: marked 3, forwarded as 2']);
});

test('other content', async () => {
  expect(await judged(marked('1', `${LAST}Content-Length: 1\r\n`, 'b'), other)).toEqual([
    'request 1: content is not what was forwarded',
  ]);
});

test('a request that wirebin refuses', async () => {
  expect(await judged(marked('1', '') + marked('2', 'Content-Length: x\r\n', 'a'))).toEqual([]);
});
