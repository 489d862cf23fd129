import { expect, test } from 'vitest';
import { changeOf } from '../../../src/check/report/change.ts';

const SENT = 'GET /a%2Fb HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nX-Two: 2\r\n\r\n';

test('a request that arrives as it was sent has no change, whatever the case and order of its fields', () => {
  const origin = 'GET /a%2Fb HTTP/1.1\r\nx-two: 2\r\nhost: a\r\nx-one: 1\r\n\r\ncontent';
  expect(changeOf(SENT, origin, 'http/1.1')).toEqual({
    isSent: [true, true, true, true],
    missing: [],
  });
});

test('lines that were not sent, and lines that are missing', () => {
  const origin = 'GET /a/b HTTP/1.1\r\nHost: a\r\nX-One: 1,2\r\nVia: 1.1 b\r\n\r\n';
  expect(changeOf(SENT, origin, 'http/1.1')).toEqual({
    isSent: [false, true, false, false],
    missing: ['GET /a%2Fb HTTP/1.1', 'X-One: 1', 'X-Two: 2'],
  });
});

test('a field that was sent once and arrives twice', () => {
  const origin = SENT.replace('X-Two: 2\r\n', 'X-Two: 2\r\nX-Two: 2\r\n');
  expect(changeOf(SENT, origin, 'http/1.1')?.isSent).toEqual([true, true, true, true, false]);
});

test('pseudo-header fields are the request line and Host', () => {
  const frames = [
    'SETTINGS stream=0 flags=0x0 length=0 ',
    'HEADERS stream=1 flags=0x5 length=143',
    '  :method: GET',
    '  :scheme: https',
    '  :authority: a',
    '  :path: /a%2Fb',
    '  x-one: 1',
    'WINDOW_UPDATE stream=1 flags=0x0 length=4 00000001',
  ].join('\n');
  const origin = 'GET /a%2Fb HTTP/1.1\r\nHost: a\r\nX-One: 1\r\n\r\n';
  const same = { isSent: [true, true, true], missing: [] };
  expect(changeOf(frames, origin, 'h2')).toEqual(same);
  expect(changeOf(frames, origin.replace('/a%2Fb', '/b'), 'h2')).toEqual({
    isSent: [false, true, true],
    missing: [':path: /a%2Fb'],
  });
});

test('several requests are not compared', () => {
  const frames = ['HEADERS stream=1 flags=0x5 length=1', '  :method: GET'].join('\n');
  expect(changeOf(`${frames}\n${frames}`, SENT, 'h2')).toBeUndefined();
  expect(changeOf(SENT + SENT, SENT, 'http/1.1')).toBeUndefined();
  expect(changeOf(SENT, `${SENT}(0 bytes of content)\n${SENT}`, 'http/1.1')).toBeUndefined();
});
