import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requestCommand } from '../../../src/check/report/request-command.ts';
import type { Result } from '../../../src/check/result.ts';
import { hasProgram } from '../../_programs.ts';
import { evidenceOf, resultWithOutcome } from '../_results.ts';

const NO_OPTIONS = {
  insecure: false,
  resolve: undefined,
  cacert: undefined,
  cert: undefined,
  key: undefined,
  proxyProtocol: 'off',
} as const;
const LB = new URL('https://lb.example');

/** A finding of one request. */
function finding(sent: string, front: Result['front'] = 'http/1.1'): Result {
  return { ...resultWithOutcome('hop/te', 'fail'), front, evidence: [evidenceOf(sent)] };
}

const framesOf = (...fields: readonly string[]): string =>
  [
    'SETTINGS stream=0 flags=0x0 length=0 ',
    'HEADERS stream=1 flags=0x5 length=143',
    ...fields.map((field) => `  ${field}`),
    'WINDOW_UPDATE stream=1 flags=0x0 length=4 00000001',
  ].join('\n');

const PSEUDO = [':method: GET', ':scheme: https', ':authority: lb.example', ':path: /a%2Fb?c=1'];

test('a request of HTTP/2', () => {
  expect(requestCommand(finding(framesOf(...PSEUDO, 'x-a: 1'), 'h2'), LB, NO_OPTIONS)).toBe(
    "curl -isS --http2 --path-as-is -H User-Agent: -H Accept: -H 'x-a: 1' 'https://lb.example/a%2Fb?c=1'",
  );
});

test('the connection is that of the run', () => {
  const options = { ...NO_OPTIONS, insecure: true, resolve: '::1', cert: 'c.pem', key: 'k.pem' };
  expect(requestCommand(finding('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), LB, options)).toBe(
    "curl -isS --http1.1 --path-as-is -k --connect-to '::[::1]:' --cert c.pem --key k.pem -H 'Host: a' -H User-Agent: -H Accept: https://lb.example/",
  );
});

test('what curl would not send as it is, openssl sends', () => {
  expect(requestCommand(finding("GET / HTTP/1.1\r\nHost : a'%\\\0\r\n\r\n"), LB, NO_OPTIONS)).toBe(
    String.raw`printf 'GET / HTTP/1.1\r\nHost : a\047%%\\\000\r\n\r\n' | openssl s_client -quiet -connect lb.example:443 -servername lb.example`,
  );
});

test('chunked content without an end is cut off with the end of the input', () => {
  const head = String.raw`POST / HTTP/1.1\r\nHost: lb.example\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const command = (content: string): string | undefined =>
    requestCommand(finding(JSON.parse(`"${head}${content}"`)), LB, NO_OPTIONS);
  const end = '-connect lb.example:443 -servername lb.example';
  const cutOff = String.raw`7\r\ncontent\r\n`;
  expect(command(cutOff)).toBe(
    `printf '${head}${cutOff}' | openssl s_client -quiet -no_ign_eof ${end}`,
  );
  // The response to a whole request would be lost.
  for (const whole of [String.raw`${cutOff}0\r\n\r\n`, String.raw`2\nab\n0\n\n`])
    expect(command(whole)).toBe(`printf '${head}${whole}' | openssl s_client -quiet ${end}`);
});

test('tags that the origin has seen are not sent again', () => {
  const sent =
    'GET /check-0123456789ab HTTP/1.1\r\nHost: lb.example\r\nX: check-0123456789ab\r\n\r\n';
  const line = requestCommand(finding(sent), LB, NO_OPTIONS);
  expect(line).toMatch(/-H 'X: (check-[\da-f]{12})' https:\/\/lb\.example\/\1$/);
  expect(line).not.toContain('0123456789ab');
});

describe('neither sends', () => {
  test.each([
    ['frames out of the ordinary', finding(`${framesOf(...PSEUDO)}\nPING stream=0`, 'h2')],
    ['connection-specific fields on HTTP/2', finding(framesOf(...PSEUDO, 'te: gzip'), 'h2')],
    ['another scheme', finding(framesOf(...PSEUDO).replace('https', 'http'), 'h2')],
    ['more than a line can have', finding(`GET / HTTP/1.1\r\nHost: ${'a'.repeat(2000)}\r\n\r\n`)],
    ['a ClientHello', finding('16 03 01')],
  ])('%s', (_, result) => {
    expect(requestCommand(result, LB, NO_OPTIONS)).toBeUndefined();
  });

  test('a malformed request in cleartext', () => {
    const malformed = finding('GET / HTTP/1.1\r\nHost : a\r\n\r\n');
    expect(requestCommand(malformed, new URL('http://lb.example'), NO_OPTIONS)).toBeUndefined();
  });

  test('several requests, or a PROXY header', () => {
    const one = finding('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const two = { ...one, evidence: [...one.evidence, ...one.evidence] };
    expect(requestCommand(two, LB, NO_OPTIONS)).toBeUndefined();
    expect(requestCommand(one, LB, { ...NO_OPTIONS, proxyProtocol: 'v2' })).toBeUndefined();
  });
});

/** The lines of a request in an order of their own: that of the fields is curl's. */
const linesOf = (request: string): string[] =>
  request
    .split('\r\n')
    .map((line) => line.trimEnd())
    .toSorted();

describe.runIf(hasProgram('curl'))('curl sends the same lines', () => {
  let server: Server;
  let arrived = '';
  beforeEach(async () => {
    server = createServer((socket) => {
      socket.setEncoding('latin1').once('data', (bytes: string) => {
        arrived = bytes;
        socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.close();
  });

  test.each([
    ['GET /a%2Fb/../c//d?e=%zz HTTP/1.1', 'Host: x', 'X-A: 1', 'X-A: 2', 'X-Empty: '],
    ['GET / HTTP/1.1', 'Host: x', "Accept: it's", 'User-Agent: a "b" $c `d`'],
    ['HEAD / HTTP/1.1', 'Host: x', 'Connection: X-A', 'X-A: 1'],
    ["OPTIONS /!$&'()* HTTP/1.1", 'Host: x'],
  ])('%s', async (...lines) => {
    await expectSame(`${lines.join('\r\n')}\r\n\r\n`);
  });

  test.each(['', 'a', 'a=1&b=%2F "'])('with content: %j', async (content) => {
    const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${content.length}\r\n\r\n`;
    await expectSame(head + content);
  });

  async function expectSame(sent: string): Promise<void> {
    const { port } = server.address() as AddressInfo;
    const url = new URL(`http://127.0.0.1:${port}`);
    const line = requestCommand(finding(sent), url, NO_OPTIONS) ?? '';
    expect(line).toMatch(/^curl /);
    await new Promise((resolve) => {
      execFile('/bin/sh', ['-c', line], resolve);
    });
    expect(linesOf(arrived)).toEqual(linesOf(sent));
  }
});
