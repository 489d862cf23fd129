import { closed, conforms, MAX_BODY, post, request, usable } from './_cases.ts';
import { GET, LAST } from '../_raw.ts';

const IP = (fields: string): string => GET('/ip', fields);
const EXPECT = (expectation: string): string =>
  post(`Expect: ${expectation}\r\nContent-Length: 5\r\n`, 'hello');
const UPGRADE = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n';

conforms([
  usable('RFC 9112 9.3: a connection persists', IP('')),
  usable('RFC 9112 9.3.2: pipelined requests', IP('').repeat(3), [200, 200, 200]),
  closed('RFC 9112 9.3: HTTP/1.0', request('GET /ip HTTP/1.0'), 200),
  usable(
    'RFC 9112 9.3: HTTP/1.0 with keep-alive',
    request('GET /ip HTTP/1.0', 'Connection: keep-alive\r\n'),
  ),
  closed('RFC 9112 9.6: close', IP(LAST), 200),
  closed('RFC 9112 9.6: nothing after it is served', IP(LAST) + IP(''), 200),
  closed('RFC 9110 7.6.1: close in upper case', IP('CONNECTION: CLOSE\r\n'), 200),
  closed('RFC 9110 5.5: a tab after close', IP('Connection: foo, close\t\r\n'), 200),
  closed('RFC 9110 7.6.1: close in a list', IP('Connection: foo, close\r\n'), 200),
  closed('RFC 9112 9.3: close wins over keep-alive', IP('Connection: keep-alive, close\r\n'), 200),
  closed('RFC 9112 9.3: the same in two lines', IP(`Connection: keep-alive\r\n${LAST}`), 200),
  usable('RFC 9110 7.6.1: an unknown option', IP('Connection: foo\r\n')),
  usable('RFC 9110 7.6.1: no list at all', IP('Connection: ,;=(\r\n')),
  usable('RFC 9110 10.1.4: TE of trailers', IP('Connection: TE\r\nTE: trailers\r\n')),

  // The bytes that follow may be of the other protocol (RFC 9931).
  closed('RFC 9110 7.8: an Upgrade that is ignored', IP(UPGRADE), 200),
  closed('RFC 9110 7.8: one with content', post(`${UPGRADE}Content-Length: 5\r\n`, 'hello'), 200),
  usable(
    'RFC 9110 7.8: Upgrade with Proxy-Connection, which is no field of HTTP',
    IP('Proxy-Connection: upgrade\r\nUpgrade: foo\r\n'),
  ),
  usable('RFC 9110 7.8: Upgrade without Connection', IP('Upgrade: h2c\r\n')),

  usable('RFC 9110 10.1.1: 100-continue', EXPECT('100-continue'), [100, 200]),
  usable('RFC 9110 10.1.1: in upper case', EXPECT('100-CONTINUE'), [100, 200]),
  usable('RFC 9110 10.1.1: twice in a list', EXPECT('100-continue,, 100-continue'), [100, 200]),
  usable('RFC 9110 10.1.1: without content', IP('Expect: 100-continue\r\n')),
  closed(
    'RFC 9110 10.1.1: in HTTP/1.0 it is ignored',
    EXPECT('100-continue').replace('HTTP/1.1', 'HTTP/1.0'),
    200,
  ),
  closed(
    'RFC 9110 10.1.1: final response without 100, so content may or may not follow',
    post(`Expect: 100-continue\r\nContent-Length: ${MAX_BODY + 1}\r\n`),
    413,
  ),
  closed('RFC 9110 15.5.18: another expectation', EXPECT('tea'), 417),
  closed('RFC 9110 15.5.18: 100-continue with a value', EXPECT('100-continue=1'), 417),
  closed('RFC 9110 15.5.18: one beside 100-continue', EXPECT('100-continue, tea'), 417),
  usable('RFC 9110 15.5.18: none in the field', IP('Expect:\r\n')),

  usable('RFC 9110 9.3.2: HEAD has no content', request('HEAD /ip HTTP/1.1')),
  usable('RFC 9110 9.3.2: not for a problem either', request('HEAD /no HTTP/1.1'), 404),
  usable('RFC 9110 15.3.5: 204 has no content', GET('/status/204'), 204),
  usable('RFC 9110 15.3.6: 205 has no content', GET('/status/205'), 205),
  usable('RFC 9110 15.4.5: 304 has no content', GET('/cache', 'If-None-Match: "a"\r\n'), 304),
  usable(
    'RFC 9110 9.3.8: TRACE on a path that does not support it',
    request('TRACE /ip HTTP/1.1'),
    405,
  ),
  closed('RFC 9110 9.3.6: CONNECT', request('CONNECT x:80 HTTP/1.1'), 501),
  closed('RFC 9110 9.3.6: CONNECT of a path', request('CONNECT /ip HTTP/1.1'), 501),
  closed(
    'RFC 9110 9.3.6: CONNECT followed by bytes',
    request('CONNECT x:1 HTTP/1.1', '', '\x16\x03'),
    501,
  ),
]);
