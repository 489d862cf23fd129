import { describe, expect, test } from 'vitest';
import {
  authorizationParameters,
  authorizationToken,
  hasBasicCredentials,
} from '../../src/http/authorization.ts';
import { cpuOf } from '../_cpu.ts';

describe('RFC 9110 11.4: credentials with a token', () => {
  test.each([
    ['Basic YTpi', 'YTpi'],
    ['bASIC   YTpi==', 'YTpi=='],
    ['Basic a-._~+/9', 'a-._~+/9'],
    ['Basic', undefined],
    ['Basic ', undefined],
    ['Basic a b', undefined],
    ['Basic a,b', undefined],
    ['Basic a=b', undefined],
    ['Basic a ', undefined],
    ['Basics YTpi', undefined],
    ['Bearer YTpi', undefined],
    ['YTpi', undefined],
    ['', undefined],
  ])('%j', (value, token) => {
    expect(authorizationToken(['authorization', value], 'basic')).toBe(token);
  });

  test('two field lines are rejected', () => {
    const fields = ['Authorization', 'Basic YTpi', 'Authorization', 'Basic YTpi'];
    expect(authorizationToken(fields, 'basic')).toBeUndefined();
    expect(authorizationToken([], 'basic')).toBeUndefined();
  });
});

function parse(value: string): Record<string, string> | undefined {
  const parameters = authorizationParameters(['Authorization', value], 'digest');
  return parameters && Object.fromEntries(parameters);
}

describe('RFC 9110 11.2: credentials with parameters', () => {
  test.each([
    ['Digest a=b', { a: 'b' }],
    ['DIGEST  A=b, c = "d" ,e="f,g=\\"h\\\\"', { a: 'b', c: 'd', e: 'f,g="h\\' }],
    ['Digest a=""', { a: '' }],
    ['Digest ,, a=1,,\tb=2 ,', { a: '1', b: '2' }],
    ["Digest username*=UTF-8''J%C3%A4s", { 'username*': "UTF-8''J%C3%A4s" }],
    ['Digest a="caf\u00c3\u00a9"', { a: 'café' }],
    ['Digest a="caf\u00e9"', { a: 'caf\u00e9' }],
  ])('%j', (value, parameters) => {
    expect(parse(value)).toEqual(parameters);
  });

  test.each([
    'Digest',
    'Digest ',
    'Digest ,',
    'Digest a',
    'Digest a=',
    'Digest a=b c=d',
    'Digest a="b',
    'Digest a="b"c',
    'Digest a=b, A=c',
    'Digest a=/b',
    'Digest a=b;',
    'Basic a=b',
    '',
  ])('%j is rejected', (value) => {
    expect(parse(value)).toBeUndefined();
  });

  test('a long malformed field is rejected quickly', () => {
    const cpu = cpuOf(() => {
      for (const part of [' ', ',', ' ,', '\t', 'a', 'a=', 'a="\\', '"', 'a=b,']) {
        expect(parse(`Digest ${part.repeat(30_000)};`)).toBeUndefined();
      }
    });
    expect(cpu).toBeLessThan(500);
  });
});

const encoded = (text: string): string => Buffer.from(text).toString('base64');

test.each([
  [`Basic ${encoded('me:secret')}`, true],
  [`bASIC  ${encoded('me:secret')}`, true],
  [`Basic ${encoded('me:secret:')}`, false],
  [`Basic ${encoded('Me:secret')}`, false],
  [`Bearer ${encoded('me:secret')}`, false],
  ['Basic', false],
  ['', false],
])('RFC 7617 2: %s has the credentials: %s', (authorization, has) => {
  expect(hasBasicCredentials(['Authorization', authorization], 'me', 'secret')).toBe(has);
});

test('RFC 7617 2.1: credentials are UTF-8, and a password may have a colon', () => {
  const fields = ['authorization', `Basic ${encoded('é:a:ü')}`];
  expect(hasBasicCredentials(fields, 'é', 'a:ü')).toBe(true);
  expect(hasBasicCredentials([], 'é', 'a:ü')).toBe(false);
});
