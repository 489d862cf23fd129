import { describe, expect, test } from 'vitest';
import {
  digestAlgorithms,
  digestResponse,
  hashUsername,
  readDigestCredentials,
} from '../../src/http/digest.ts';

const NO_CONTENT = Buffer.alloc(0);

describe('RFC 7616 3.9.1: the examples for MD5 and SHA-256', () => {
  const account = { user: 'Mufasa', realm: 'http-auth@example.org', passwd: 'Circle of Life' };
  const signed = {
    uri: '/dir/index.html',
    nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
    nc: '00000001',
    cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
    qop: 'auth',
  };

  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ] as const)('%s', (algorithm, response) => {
    expect(digestResponse(algorithm, account, signed, 'GET', NO_CONTENT)).toBe(response);
  });
});

// Erratum 4897: the hashed usernames of this example are those of SHA-512-256.
test('RFC 7616 3.9.2: usernames and hashed usernames are UTF-8', () => {
  const account = {
    user: 'J\u00e4s\u00f8n Doe',
    realm: 'api@example.org',
    passwd: 'Secret, or not?',
  };
  expect(hashUsername('SHA-512-256', account)).toBe(
    '793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b',
  );
});

describe('each algorithm', () => {
  const account = { user: 'u', realm: 'r', passwd: 'p' };
  const signed = { uri: '/', nonce: 'n', nc: '00000001', cnonce: 'c', qop: 'auth' };
  const responseOf = (algorithm: (typeof digestAlgorithms)[number], qop = 'auth', content = '') =>
    digestResponse(algorithm, account, { ...signed, qop }, 'POST', Buffer.from(content));

  test('has a distinct response', () => {
    const responses = digestAlgorithms.map((algorithm) => responseOf(algorithm));
    expect(new Set(responses).size).toBe(digestAlgorithms.length);
    expect(responses.map(({ length }) => length)).toEqual([32, 32, 64, 64, 64, 64, 128, 128]);
  });

  test.each(digestAlgorithms)('%s includes the content only with auth-int', (algorithm) => {
    expect(responseOf(algorithm, 'auth', 'a')).toBe(responseOf(algorithm, 'auth', 'b'));
    expect(responseOf(algorithm, 'auth-int', 'a')).not.toBe(responseOf(algorithm, 'auth-int', 'b'));
  });
});

function read(parameters: object): ReturnType<typeof readDigestCredentials> {
  const list = Object.entries(parameters).map(([name, value]) => `${name}=${value}`);
  return readDigestCredentials(['authorization', `Digest ${list.join(', ')}`]);
}

describe('RFC 7616 3.4: credentials', () => {
  const all = {
    username: '"u"',
    realm: '"r"',
    nonce: '"n"',
    uri: '"/"',
    response: '"0"',
    qop: 'auth',
    nc: '00000001',
    cnonce: '"c"',
  };
  test('optional parameters have defaults', () => {
    expect(read(all)).toMatchObject({ username: 'u', algorithm: 'MD5', userhash: false });
    const more = { ...all, algorithm: 'SHA-256', userhash: 'TRUE' };
    expect(read(more)).toMatchObject({ algorithm: 'SHA-256', userhash: true });
  });

  test.each(Object.keys(all))('%s is required', (name) => {
    const others = Object.entries(all).filter(([other]) => other !== name);
    expect(read(Object.fromEntries(others))).toBe(`the credentials have no ${name}`);
  });

  test.each([
    ["UTF-8''J%C3%A4s%C3%B8n%20Doe", 'J\u00e4s\u00f8n Doe'],
    ["utf-8'de'a", 'a'],
    ["iso-8859-1''a", undefined],
    ['a', undefined],
    ["UTF-8''%zz", undefined],
  ])('username*=%s (RFC 8187)', (value, username) => {
    const { username: _, ...others } = all;
    const credentials = read({ ...others, 'username*': value });
    if (username === undefined) expect(credentials).toBe('the credentials have no username');
    else expect(credentials).toMatchObject({ username });
  });
});
