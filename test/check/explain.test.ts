import { expect, test } from 'vitest';
import { checks } from '../../src/check/catalogue/all.ts';
import { explain } from '../../src/check/explain.ts';

/** The text of a check, without tags and the port of the origin. */
async function explained(id: string): Promise<string> {
  const check = checks.find((each) => each.id === id);
  if (!check) throw new Error(`no check ${id}`);
  const text = await explain(check, 'npm start --');
  return text.replaceAll(/check-[\da-f]{12}/g, 'TAG').replaceAll(/127\.0\.0\.1:\d+/g, 'HOST');
}

test('a check is explained with what it sends and how it judges', async () => {
  expect(await explained('hop/connection-listed')).toBe(String.raw`hop/connection-listed
  rule      A field listed in Connection is removed before the request is forwarded.
  section   RFC 9110 7.6.1
  level     must: an RFC requires it; a finding makes the exit code 1
  risk      security: an attacker could use it
  fronts    http/1.1
  profiles  gateway, cdn
  needs     gateway: the target reads messages; a tunnel (RFC 9110 9.3.6) forwards bytes
  after     no other check
  sent      GET /anything/TAG HTTP/1.1\r\n
            Host: HOST\r\n
            Connection: X-Check-Hop\r\n
            X-Check-Hop: 1\r\n
            X-Wirebin-Journal: TAG\r\n
            \r\n
  judged    the fields that the origin receives; of a response, those that the client receives
  observed  the origin has echoed a request of the check
  finding   fail  must  hop/connection-listed  FRONT  FOUND (expected: EXPECTED)
            then all that was sent and received
  to do     Remove by name each field that must not pass, because the proxy does not read Connection.
  repeat    npm start -- check URL --only hop/connection-listed --trace
`);
});

test('what a check sends below a prefix has one', async () => {
  const text = await explained('target/prefix-left');
  expect(text).toContain(String.raw`  sent      GET /api../anything/TAG HTTP/1.1\r\n`);
  expect(text).toContain(String.raw`GET /api/../anything/TAG HTTP/1.1\r\n`);
});

test('a check that may harm others says so, and a fact has no finding', async () => {
  const text = await explained('framing/two-lengths');
  expect(text).toContain('\n            --destructive: it could harm the requests of others\n');
  expect(text).toContain('  repeat    npm start -- check URL --destructive --only framing/two-');
  expect(await explained('field/order')).toContain('  finding   none; ');
});

test('what to do is explained for all products', async () => {
  const text = await explained('forwarding/spoofed-forwarded');
  expect(text).toContain('  to do     Remove Forwarded that clients send');
  expect(text).toContain('\n            nginx, in location: proxy_set_header Forwarded "";\n');
  expect(text).toContain('\n            nghttpx: strip-incoming-forwarded=yes\n');
});

test.each([
  ['h2/late-pseudo', 'HEADERS stream=1'],
  ['h2/window-0', 'WINDOW_UPDATE stream=0'],
  ['tls/hello', 'record handshake'],
  ['tls/alpn-h2', 'ClientHello: ALPN h2, http/1.1'],
  ['proxy-protocol/malformed', 'PROXY TCP4 192.0.2.10'],
  ['flow/ping', '/h2/ping'],
  ['drain/requests', 'GET /anything/drain?check=TAG'],
  ['backpressure/request', 'POST /fault/no-read?for=60'],
  ['backpressure/response', 'GET /bytes/'],
  ['client-certificate/forwarded', 'GET /anything/TAG'],
])('what %s sends is shown, whatever it needs of a target', async (id, sent) => {
  const text = await explained(id);
  expect(text.slice(text.indexOf('\n  sent '), text.indexOf('\n  judged '))).toContain(sent);
});
