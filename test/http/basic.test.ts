import { expect, test } from 'vitest';
import { hasBasicCredentials } from '../../src/http/basic.ts';
import { basicUser } from '../../src/server/params.ts';

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

test('a user name cannot contain a colon', () => {
  expect(basicUser.parse('me', 'user')).toBe('me');
  expect(() => basicUser.parse('m:e', 'user')).toThrow('has a colon');
});
