import { describe, expect, test } from 'vitest';
import { anyText, int, optional, repeated } from '../../src/server/params.ts';
import { queryParser } from '../../src/server/parse-parameters.ts';

describe('queryParser', () => {
  const digit = int({ min: 0, max: 9 });
  const parse = queryParser({
    needed: digit,
    word: optional(anyText(), 'none'),
    list: repeated(digit),
  });

  test('parses what is given, and ignores other names', () => {
    const pairs = [
      ['list', '1'],
      ['__proto__', '2'],
      ['needed', '3'],
      ['list', '4'],
    ] as const;
    expect(parse(pairs)).toEqual({ needed: 3, word: 'none', list: [1, 4] });
    expect(parse([['needed', '3']])).toEqual({ needed: 3, word: 'none', list: [] });
  });

  test.each([
    [[], 'needed is required'],
    [['needed', 'needed'], 'needed is given more than once'],
    [['word', 'word', 'needed'], 'word is given more than once'],
  ])('of %j, %s', (names, message) => {
    const pairs = names.map((name) => [name, '1'] as const);
    expect(() => parse(pairs)).toThrow(message);
  });

  test('reports the error of the parameter that is declared first', () => {
    expect(() =>
      parse([
        ['list', 'x'],
        ['needed', 'y'],
      ]),
    ).toThrow('needed=y is not a whole');
  });

  test('reads each pair once', () => {
    const parameters = Array.from({ length: 20 }, (_, at) => [`p${at}`, repeated(digit)] as const);
    let reads = 0;
    const pairs = new Proxy(
      Array.from({ length: 100 }, (_, at) => [`p${at % 20}`, '1'] as const),
      {
        get(target, key, receiver) {
          if (typeof key === 'string' && /^\d+$/.test(key)) reads++;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    queryParser(Object.fromEntries(parameters))(pairs);
    expect(reads).toBe(100);
  });
});
