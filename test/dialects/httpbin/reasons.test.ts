import { expect, test } from 'vitest';
import { exchange, GET, LAST } from '../../_raw.ts';
import { sharedPlace } from '../../_everywhere.ts';

const { running } = sharedPlace('http/1.1', '--dialect', 'httpbin');

const statusLine = async (target: string, fields = LAST): Promise<string> => {
  const response = await exchange(running().port, GET(target, fields));
  return response.slice(0, response.indexOf('\r\n'));
};

test.each([
  ['/status/200', '200 OK'],
  ['/status/203', '203 NON AUTHORITATIVE INFORMATION'],
  ['/status/306', '306 SWITCH PROXY'],
  ['/status/401', '401 UNAUTHORIZED'],
  ['/status/413', '413 REQUEST ENTITY TOO LARGE'],
  ['/status/416', '416 REQUESTED RANGE NOT SATISFIABLE'],
  ['/status/418', "418 I'M A TEAPOT"],
  ['/status/422', '422 UNPROCESSABLE ENTITY'],
  ['/status/499', '499 UNKNOWN'],
  ['/status/509', '509 UNKNOWN'],
  ['/redirect/1', '302 FOUND'],
  ['/stream/1', '200 OK'],
  ['/nowhere', '404 NOT FOUND'],
])('%s is answered by HTTP/1.1 %s, as by Werkzeug', async (target, expected) => {
  expect(await statusLine(target)).toBe(`HTTP/1.1 ${expected}`);
});

test('on a connection that stays open, too', async () => {
  const request = GET('/status/405', '') + GET('/stream-bytes/5', '') + GET('/status/404', LAST);
  const received = await exchange(running().port, request);
  expect(received.match(/^HTTP\/1\.1 .*(?=\r)/gm)).toEqual([
    'HTTP/1.1 405 METHOD NOT ALLOWED',
    'HTTP/1.1 200 OK',
    'HTTP/1.1 404 NOT FOUND',
  ]);
});

test('the page of an error has the phrase of Werkzeug as its title', async () => {
  const received = await exchange(running().port, GET('/range/5', `Range: bytes=9-\r\n${LAST}`));
  expect(received).toMatch(/^HTTP\/1\.1 416 REQUESTED RANGE NOT SATISFIABLE\r/);
  expect(received).toContain('<title>416 Requested Range Not Satisfiable</title>');
});
