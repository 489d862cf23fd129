import { describe, expect, test } from 'vitest';
import { ja4h } from '../../src/inspect/ja4h.ts';

/** Field lines without values but those that count. */
const lines = (names: string, values: Record<string, string> = {}): string[] =>
  names.split(',').flatMap((name) => [name, values[name] ?? '']);

// Published with FoxIO's reference implementations.
describe('published examples', () => {
  test('curl with two cookies', () => {
    const fields = lines('Host,User-Agent,Accept,Referer,Cookie,Accept-Language', {
      Cookie: 'yummy_cookie=choco; tasty_cookie=strawberry',
      'Accept-Language': 'da, en-GB;q=0.8, en;q=0.7',
    });
    expect(ja4h('GET', '1.1', fields)).toMatchObject({
      ja4h: 'ge11cr04da00_8ddaef5d77af_280f366eaa04_c2fb0fe53442',
      ja4h_ro:
        'ge11cr04da00_Host,User-Agent,Accept,Accept-Language_yummy_cookie,tasty_cookie_yummy_cookie=choco,tasty_cookie=strawberry',
    });
  });

  test('a browser with many cookies', () => {
    const names =
      'Host,Cookie,Sec-Ch-Ua,Sec-Ch-Ua-Mobile,User-Agent,Sec-Ch-Ua-Platform,Accept,Sec-Fetch-Site,Sec-Fetch-Mode,Sec-Fetch-Dest,Sec-Fetch-Mode,Sec-Fetch-Dest,Referer,Accept-Encoding,Accept-Language';
    const cookie =
      'FastAB=0=6859,1=8174,2=4183,3=3319,4=3917,5=2557,6=4259,7=6070,8=0804,9=6453,10=1942,11=4435,12=4143,13=9445,14=6957,15=8682,16=1885,17=1825,18=3760,19=0929; sato=1; countryCode=US; stateCode=VA; geoData=purcellville|VA|20132|US|NA|-400|broadband|39.160|-77.700|511; usprivacy=1---; umto=1; _dd_s=logs=1&id=b5c2d770-eaba-4847-8202-390c4552ff9a&created=1686159462724&expire=1686160422726';
    const fields = lines(names, { Cookie: cookie, 'Accept-Language': 'en-US,en;q=0.9' });
    expect(ja4h('GET', '1.1', fields)).toMatchObject({
      ja4h: 'ge11cr13enus_88d2d584d47f_0f2659b474bf_161698816dab',
      ja4h_o: 'ge11cr13enus_88d2d584d47f_457935509480_ff4b0b83634b',
    });
  });

  test.each([
    ['POST', 'Host,Accept,User-Agent,Content-Type,Content-Length', 'po11nn050000_530ceba2075f'],
    ['HEAD', 'User-Agent,Host,Connection,Accept-Encoding', 'he11nn040000_4f6f4aad0c1e'],
    ['GET', 'Host,Connection,User-Agent', 'ge11nn030000_f8649f6808db'],
  ])('%s with %s', (method, names, start) => {
    expect(ja4h(method, '1.1', lines(names)).ja4h).toBe(`${start}_000000000000_000000000000`);
  });
});

test('HTTP/2: pseudo-header fields do not count, and cookies may be in several lines', () => {
  const one = ja4h('GET', '2', ['accept', '*/*', 'cookie', 'a=1; b=2']);
  const two = ja4h('GET', '2.0', [
    ':method',
    'GET',
    'accept',
    '*/*',
    'cookie',
    'b=2',
    'cookie',
    'a=1',
  ]);
  expect(two.ja4h).toBe(one.ja4h);
  expect(two.ja4h_ro).toBe('ge20cn010000_accept_b,a_b=2,a=1');
});

test.each([
  ['en', 'en00'],
  ['EN-us;q=0.5', 'enus'],
  ['zh-Hant-TW', 'zhha'],
  ['', '0000'],
  ['*', '*000'],
])('the language of %j', (value, code) => {
  expect(ja4h('GET', '1.0', ['Accept-Language', value]).ja4h.slice(0, 12)).toBe(`ge10nn01${code}`);
});

test('more than 99 fields, and cookies without a value or of the same name', () => {
  expect(ja4h('GET', '1.1', lines('X,'.repeat(120))).ja4h_r).toMatch(/^ge11nn990000_/);
  const { ja4h_r: raw } = ja4h('GET', '1.1', ['cookie', 'b; a=2;; a=1;B=x=y']);
  expect(raw).toBe('ge11cn000000__B,a,a,b_B=x=y,a=1,a=2,b');
});
