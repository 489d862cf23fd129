import { expect, test } from 'vitest';
import {
  redact,
  redactField,
  redactLine,
  redactPath,
  redactQuery,
  redactTarget,
} from '../../../src/telemetry/tap/redaction.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const SECRET = words(`
  Authorization Proxy-Authorization X-Authorization X-Original-Authorization X-Forwarded-Authorization X-Ms-Authorization-Auxiliary
  Cookie Cookie2 Set-Cookie Set-Cookie2 X-Cookie
  Token X-Token X-Auth-Token X-Access-Token X-Refresh-Token X-Id-Token X-Csrf-Token X-Xsrf-Token X-Session-Token X-Amz-Security-Token X-Amz-Access-Token X-Amzn-Oidc-Accesstoken X-Gitlab-Token X-Vault-Token X-Consul-Token X-Shopify-Access-Token X-Forwarded-Access-Token Private-Token Job-Token Sec-Token-Binding X-Goog-Iam-Authorization-Token Authentication-Token Device-Token X-User-Token X-Bearer-Token Ot-Token X-GitHub-Token
  Secret X-Secret X-Client-Secret Client_Secret X-Webhook-Secret X-Telegram-Bot-Api-Secret-Token X-Shared-Secret X-App-Secret
  Password X-Password X-User-Password passwd X-Passwd Pwd X-Pwd X-Pass X-Passphrase X-Passcode New-Password OK-Access-Passphrase
  X-Api-Key X-ApiKey Api_Key Api-Key X-Goog-Api-Key X-RapidAPI-Key X-Parse-REST-API-Key X-Parse-Master-Key X-Access-Key X-Auth-Key X-Client-Key X-Private-Key X-Secret-Key X-Functions-Key X-Account-Key X-License-Key X-Signing-Key X-Encryption-Key Ocp-Apim-Subscription-Key X-Amz-Server-Side-Encryption-Customer-Key CB-ACCESS-KEY DD-APPLICATION-KEY
  X-Session X-Session-Id Session Session-Id X-Sessionid PHPSESSID JSESSIONID X-SID Sec-Session-Challenge
  DPoP DPoP-Nonce X-Jwt X-Jwt-Payload X-Endpoint-Jwt X-Goog-Iap-Jwt-Assertion Cf-Access-Jwt-Assertion X-Assertion Client-Assertion X-Saml-Response X-Bearer
  X-Vault-Request X-Vault-Wrap-Ttl X-Vault-Namespace X-Pin X-Otp X-GitHub-OTP X-Totp X-Mfa-Code X-Auth X-OAuth X-Credentials X-Amz-Credential X-Creds X-Csrf X-XSRF X-Signature Signature X-Hub-Signature-256 X-Ssn X-Cvv
`);

const ORDINARY = words(`
  Accept Accept-Charset Accept-Encoding Accept-Language Accept-Ranges Accept-Signature Access-Control-Allow-Credentials Access-Control-Allow-Headers Access-Control-Request-Headers Access-Control-Request-Method
  Age Allow Alt-Svc Authentication-Info X-Auth-Request-User X-Auth-Request-Email Cache-Control CDN-Loop Connection Content-Digest Content-Disposition Content-Encoding Content-Language Content-Length Content-Location Content-Range Content-Security-Policy Content-Type
  Date Depth Destination Device-Memory DNT Early-Data ETag Expect Expires Forwarded From Host HTTP2-Settings Idempotency-Key If-Match If-Modified-Since If-None-Match If-Range If-Unmodified-Since Keep-Alive Last-Event-ID Last-Modified Link Location Max-Forwards MIME-Version
  Origin Pragma Prefer Priority Proxy-Authenticate Public-Key-Pins Range Referer Referrer-Policy Repr-Digest Retry-After Save-Data Sec-CH-UA Sec-Fetch-Mode Sec-Fetch-Site Sec-WebSocket-Accept Sec-WebSocket-Key Sec-WebSocket-Version Server Server-Timing Signature-Input Strict-Transport-Security Surrogate-Key
  TE Timing-Allow-Origin Traceparent Tracestate Trailer Transfer-Encoding Upgrade Upgrade-Insecure-Requests User-Agent Vary Via Want-Content-Digest Warning WWW-Authenticate
  X-Amzn-Trace-Id X-Amz-Date X-Amz-Server-Side-Encryption-Customer-Key-Md5 X-B3-TraceId X-Bypass-Cache X-Cache-Key X-Correlation-Id X-Forwarded-For X-Forwarded-Host X-Forwarded-Port X-Forwarded-Proto X-Frame-Options X-HTTP-Method-Override X-Ping X-Passenger X-RateLimit-Remaining-Tokens X-Real-IP X-Request-Id X-Requested-With X-Spinner X-Wirebin-Journal
`);

const isShown = (name: string): boolean => redactField(name, 'v') === 'v';
const spellings = (names: string[]) => names.flatMap((name) => [name, name.toLowerCase()]);

test('field names: about a hundred that are secret, and as many that are not', () => {
  expect(spellings(SECRET).filter(isShown)).toEqual([]);
  const others = spellings(ORDINARY).filter((name) => name.toLowerCase() !== 'referer');
  expect(others.filter((name) => !isShown(name))).toEqual([]);
});

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const HEX = '9f86d081884c7d659a2feaa0c55ad015';

test.each([
  ['Set-Cookie', 'a=1', '[redacted]'],
  ['Cookie', '', ''],
  ['Accept', 'text/html?token=a', '[redacted]'],
  ['X-Amzn-Oidc-Data', JWT, '[redacted]'],
  ['X-Custom', 'Bearer abcdefgh', '[redacted]'],
  ['X-Upstream', 'https://u:p@a.example/', '[redacted]'],
  ['WWW-Authenticate', 'Basic realm="a b"', 'Basic realm="a b"'],
  ['Traceparent', `00-${HEX}-00f067aa0ba902b7-01`, `00-${HEX}-00f067aa0ba902b7-01`],
  ['Host', 'u:p@a.example:1', '[redacted]@a.example:1'],
  [':authority', 'a.example:1', 'a.example:1'],
  ['Location', '/a?b=c&token=x', '/a?b=c&token=[redacted]'],
  ['X-Envoy-Original-Path', '/a?b=c&token=x', '/a?b=c&token=[redacted]'],
  ['Link', '</a?token=x>; rel=next', '[redacted]'],
  ['Link', '</a?b=c>; rel=next', '</a?b=c>; rel=next'],
  ['Sec-WebSocket-Protocol', 'graphql-ws, base64url.bearer.authorization.k8s.io.abc', '[redacted]'],
  ['Sec-WebSocket-Protocol', 'graphql-ws', 'graphql-ws'],
  ['X-Original-URL', '//u:p@a/b?pin=1', '//[redacted]@a/b?pin=[redacted]'],
  ['Destination', '/a?token=x', '/a?token=[redacted]'],
  ['Destination', '/basic-auth/a/b', '/basic-auth[redacted]'],
  ['Refresh', '5; url=/a?token=x', '5; url=/a?[redacted]'],
  ['X-Query-String', 'a=b&token=x', 'a=b&token=[redacted]'],
  ['Referer', 'https://a.example', 'https://a.example'],
  ['REFERER', 'https://a.example:1/b?c#d', 'https://a.example:1/[redacted]'],
  ['referer', 'https://u:p@a.example/b', 'https://[redacted]@a.example/[redacted]'],
  ['referer', '/path', '/[redacted]'],
  ['\tReferer', '/path', '/[redacted]'],
  ['X-A', 'foo, Bearer abcdefgh', '[redacted]'],
  ['X-A', 'foo, Basic dXNlcjpwYXNz=, bar', '[redacted]'],
  ['X-A', '{"a":"Basic dXNlcjpwYXNz="}', '[redacted]'],
  ['X-A', 'a; token=b', '[redacted]'],
  ['X-A', 'a; token==b', '[redacted]'],
  ['X-A', 'a; token = "b"', '[redacted]'],
  ['X-A', '%7B%22token%22%3A%22b%22%7D', '[redacted]'],
  ['X-A', 'foo, u:p@a.example', '[redacted]'],
  ['X-A', `{"a":"u:p'w@a.example"}`, '[redacted]'],
  ['X-A', 'foo=/basic-auth/u/p', '[redacted]'],
  ['X-A', `Digest username="u", uri="/", response="${HEX}"`, '[redacted]'],
  ['X-A', `response=${HEX}`, '[redacted]'],
  ['X-Body', '{"a": 1, "password": "b"}', '[redacted]'],
  ['X-Body', String.raw`"{\"pin\":1234}"`, '[redacted]'],
  ['X-Upstream', 'http://u:p/w', '[redacted]'],
  ['Host', 'u:passwo', '[redacted]'],
  ['Host', 'u:1passwo', '[redacted]'],
])('%s: %s', (name, value, shown) => {
  expect(redactField(name, value)).toBe(shown);
});

test.each([
  ['Host', 'auth.example:8080'],
  ['Host', '[2001:db8::1]:8080'],
  ['X-Upstream', 'http://[2001:db8::1]:8080/'],
  ['Origin', 'https://auth.example:8443'],
  ['Via', '1.1 session.example:8080 (squid)'],
  ['Forwarded', 'for="[2001:db8::1]:1";host="auth.example:443";proto=https'],
  ['Alt-Svc', 'h2="token.example:443"; ma=60'],
  ['Link', '<mailto:me@a.example>; rel="token_endpoint"'],
  ['X-A', '{"mail":"me@a.example"}'],
  ['X-A', 'token='],
  ['Signature-Input', 'sig-1=("@path");keyid="a"'],
  ['Permissions-Policy', 'publickey-credentials-get=(self)'],
  ['WWW-Authenticate', 'Bearer resource_metadata="a", error_description="The token expired"'],
  ['WWW-Authenticate', 'Digest realm="auth", nonce="a", qop="auth", algorithm=MD5'],
  ['Authentication-Info', `rspauth="${HEX}", cnonce="a", qop=auth`],
  ['Access-Control-Request-Headers', 'authorization,x-csrf-token'],
  ['Content-Digest', 'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
  ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
  ['User-Agent', 'Mozilla/5.0 (compatible; Bot/1.0; +https://a.example/?b=c)'],
  ['X-Amzn-Trace-Id', 'Root=1-67891233-abcdef012345678912345678;Sampled=1'],
])('%s is shown with an ordinary value: %s', (name, value) => {
  expect(redactField(name, value)).toBe(value);
});

test('an empty value is not redacted', () => {
  expect([redact(''), redact('a')]).toEqual(['', '[redacted]']);
});

test.each([
  ['no word of it', 'no word of it'],
  ['A cookie: abc', 'A cookie[redacted]'],
  ['GET /path?query HTTP/9', 'GET /path?[redacted]'],
  ['ends with a token', 'ends with a token'],
  ['Basic dXNlcjpwYXNz', '[redacted]'],
  ['Author\0ization: Basic dXNlcjpwYXNz', '[redacted]'],
  [`a: ${JWT}`, '[redacted]'],
  ['u:p@a.example/?b', '[redacted][redacted]'],
  ['GET http://u:passwo', '[redacted]'],
])('%s', (line, shown) => {
  expect(redactLine(line)).toBe(shown);
});

test.each([
  '',
  'a',
  '&&=&a=&=b',
  'a=1&b=two+words&c=%C3%A9%',
  'n=1732350000000000000000000000',
  `x=${'x'.repeat(1000)}`,
  'id=123e4567-e89b-12d3-a456-426614174000',
  'max_tokens=100&auth_time=1&user=me&mail=me@a.example',
  'url=https://a.example:1/b?c=d',
  'json={"a":"b"}',
  'date=2026-11-23T08:00:00.123Z',
  'token=',
  'code=418&code=HTTP_1_1_REQUIRED&code=REFUSED_STREAM&code=1234567890',
])('the query %s is shown', (query) => {
  expect(redactQuery(query)).toBe(query);
});

test.each([
  ['a=1&token=x&b=2', 'a=1&token=[redacted]&b=2'],
  ['%74oken=x', '%74oken=[redacted]'],
  ['%2574oken=x', '%2574oken=[redacted]'],
  ['X-Amz-Signature=x&sig=x', 'X-Amz-Signature=[redacted]&sig=[redacted]'],
  [`a=${JWT}`, 'a=[redacted]'],
  [JWT, '[redacted]'],
  ['a=Bearer+abcdefgh', 'a=[redacted]'],
  ['a=https%3A%2F%2Fu:p@a.example', 'a=[redacted]'],
  ['a=u:p@a.example', 'a=[redacted]'],
  ['a=https://b.example/%3Fc=d%26token%3Dx', 'a=[redacted]'],
  ['a={"b":1,"password": "x"}', 'a=[redacted]'],
  [`a=${HEX}`, 'a=[redacted]'],
  ['a=AIzaSyD4x5Yz6AbCdEfGh', 'a=[redacted]'],
  ['code=9f86d081884c7d659a2f&state=a', 'code=[redacted]&state=a'],
  ['code=4/0AbC1-dEf2gHi', 'code=[redacted]'],
  ['user[password]=x', 'user[password]=[redacted]'],
  ['a=b,+Bearer+abcdefgh', 'a=[redacted]'],
  ['a=https://us%252Fer@a.example', 'a=[redacted]'],
])('the query %s', (query, shown) => {
  expect(redactQuery(query)).toBe(shown);
});

test.each([
  ['http://u:p@a.example/b?c=d', 'http://[redacted]@a.example/b?c=d'],
  ['a:cookies/set/b/c', 'a:cookies/set/[redacted]'],
  ['http://u@a.example', 'http://[redacted]@a.example'],
  ['u:p@a.example:443', '[redacted]@a.example:443'],
  ['http://a.example/b@c', 'http://a.example/b@c'],
  ['/~me@home?pwd=x', '/~me@home?pwd=[redacted]'],
  ['*', '*'],
  ['/a;jsessionid=1A2B;v=2/c;d=e;f', '/a;jsessionid=[redacted];v=2/c;d=e;f'],
  [`/a;v=${HEX}`, '/a;v=[redacted]'],
  ['/cookies/set?a=b&c&d=', '/cookies/set?a=[redacted]&c&d='],
  ['/cookies/%73et?a=b', '/cookies/%73et?a=[redacted]'],
  ['/cookies%2fset?a=b', '/cookies%2fset?a=[redacted]'],
  ['/cookies/set;x?a=b', '/cookies/set;x?a=[redacted]'],
  ['/a#access_token=b&c=d', '/a#access_token=[redacted]&c=d'],
  ['/a?b=c#d', '/a?b=c#d'],
  [`/a/${JWT}/b`, '/a/[redacted]/b'],
  [`/${JWT}/basic-auth/b`, '/[redacted]/basic-auth/[redacted]'],
  ['/a?', '/a?'],
  ['/redirect-to?url=%2Fbasic-auth%2Fu%2Fp', '/redirect-to?url=[redacted]'],
  ['/a?url=%252F%253Ftoken%253Db', '/a?url=[redacted]'],
  ['http://a.example/cookies//set/?a=b', 'http://a.example/cookies//set/?a=[redacted]'],
])('the target %s', (target, shown) => {
  expect(redactTarget(target)).toBe(shown);
});

test.each([
  ['/basic-auth/user/password', '/basic-auth/[redacted]'],
  ['//Basic-Auth/user/password/more', '//Basic-Auth/[redacted]'],
  ['/v1/hidden-basic-auth//user', '/v1/hidden-basic-auth//[redacted]'],
  ['/digest-auth/auth/user/password/MD5', '/digest-auth/[redacted]'],
  ['/cookies/set/name/value', '/cookies/set/[redacted]'],
  ['/basic%2Dauth/user/password', '/[redacted]'],
  ['/basic%2Dauth/user/password%', '/[redacted]'],
  ['/basic-auth%2Fuser%2Fpassword', '/[redacted]'],
  ['/basic%252dauth/user/password', '/[redacted]'],
  ['/basic-auth;a/user/password', '/basic-auth;a/[redacted]'],
  [String.raw`/basic-auth\user\password`, String.raw`/basic-auth\[redacted]`],
  ['/a;jsessionid%3Db', '/[redacted]'],
  ['/a%3Bjsessionid=b', '/[redacted]'],
  ['/a;js%65ssionid=b', '/[redacted]'],
  ['/a;v%3D1/b%20c', '/a;v%3D1/b%20c'],
  ['/a;sid=b/basic-auth/user', '/a;sid=[redacted]/basic-auth/[redacted]'],
  ['/basic-auth', '/basic-auth'],
  ['/basic-auth/', '/basic-auth/'],
  ['/cookies', '/cookies'],
  ['/a%2', '/a%2'],
])('the path %s', (path, shown) => {
  expect(redactPath(path)).toBe(shown);
});

// What takes time by the square of the length takes minutes here.
test.each([
  'basic-auth;',
  'cookies/set;',
  'cookies/',
  'eyJ',
  '%25',
  '-',
  'a',
  'a-',
  '1',
  '=',
  ':',
  'a=',
  '&',
  '/',
  ';a',
  '%61',
  "'",
  ' ',
  'token',
  'eyJaaaaaaaa.',
  'token ',
  'basic a',
  'response ',
  'sig-',
  '//a:1',
  'a@',
  'a:',
  '%2525',
  '%25252525252525252525252525252525',
  '\r\n ',
])('a long run of %j is redacted in linear time', (text) => {
  const long = text.repeat(2 ** 18 / text.length);
  redactTarget(`${long}?code=${long}`);
  redactLine(long);
  for (const name of ['X-A', 'Host', 'Link', 'Location', 'X-Query-String', long])
    redactField(name, long);
});
