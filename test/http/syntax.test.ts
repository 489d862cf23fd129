import { expect, test } from 'vitest';
import { isFieldValue, isToken, listMembers, Scanner, trimOws } from '../../src/http/syntax.ts';

test('RFC 9110 5.6.2: tokens', () => {
  const tokens = ['a', "!#$%&'*+-.^_`|~0aZ"];
  const others = ['', 'a b', 'a:', '(a)', 'a\n', '"a"', 'a/b', 'é', '\0'];
  expect([...tokens, ...others].filter(isToken)).toEqual(tokens);
});

test('RFC 9110 5.5: what can be sent as a field value', () => {
  const values = ['', 'a b\tc', '\x80\xff'];
  const others = ['a\n', 'a\r\nb: c', '\0', '\x1b', '\x7f', '\u0100', '€'];
  expect([...values, ...others].filter(isFieldValue)).toEqual(values);
});

test.each([
  ['a, b;c="x,\\",y",, d', ['a', 'b;c="x,\\",y"', 'd']],
  [' ,\t, a\t,', ['a']],
  ['a, "b, c', ['a', '"b, c']],
  ['', []],
])('RFC 9110 5.6.1: the members of %j', (list, members) => {
  expect(listMembers(list)).toEqual(members);
});

test('RFC 9110 5.6.3: only spaces and tabs are optional whitespace', () => {
  expect(trimOws(' \t a \u00a0\t ')).toBe('a \u00a0');
});

test('RFC 9110 5.6.4: the value of a parameter is a token or a quoted string', () => {
  const scanner = new Scanner(String.raw`a"b\"\\c,;="=`);
  expect([scanner.value(), scanner.value()]).toEqual(['a', String.raw`b"\c,;=`]);
  expect([scanner.value(), scanner.skip(','), scanner.skip('=')]).toEqual([undefined, false, true]);
  expect([scanner.value(), scanner.skip('='), scanner.isAtEnd]).toEqual([undefined, false, true]);
});

test.each(['"', '"a', '"\\"', '"\0"', '"a\n"', '"\u0100"', ''])('%j is no value', (text) => {
  expect(new Scanner(text).value()).toBeUndefined();
});

test.each<[text: string, parameters: Record<string, string> | undefined]>([
  ['', {}],
  [' ;A=1 ; ;b="2";A=3\t', { a: '3', b: '2' }],
  [';a', undefined],
  [';a=', undefined],
  [';a =1', undefined],
])('RFC 9110 5.6.6: the parameters of %j', (text, parameters) => {
  const found = new Scanner(text).parameters();
  expect(found && Object.fromEntries(found)).toEqual(parameters);
});

test('a long value is read in linear time', () => {
  const start = process.cpuUsage();
  for (const piece of ['"', 'a', ' ', ';', ';a="', String.raw`\"`, ',', 'a,']) {
    const text = piece.repeat(50_000);
    listMembers(text);
    trimOws(text);
    for (const input of [text, `"${text}`, `;a=${text}`]) {
      new Scanner(input).value();
      new Scanner(input).parameters();
    }
  }
  expect(process.cpuUsage(start).user).toBeLessThan(1_000_000);
});
