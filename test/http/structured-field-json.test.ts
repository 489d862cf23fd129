import { expect, test } from 'vitest';
import { dictionaryJson, itemJson, listJson } from '../../src/http/structured-field-json.ts';
import { parseDictionary, parseItem, parseList } from '../../src/http/structured-fields.ts';

test('a dictionary is pairs, an item its value and its parameters; each type can be told', () => {
  const dictionary = parseDictionary('a="b";c=1.0;d=1.5, e=(f :AAEC: ?0);g=@1, h=%"%c3%bc"');
  expect(dictionaryJson(dictionary ?? new Map())).toEqual([
    [
      'a',
      [
        'b',
        [
          ['c', { __type: 'decimal', value: 1 }],
          ['d', 1.5],
        ],
      ],
    ],
    [
      'e',
      [
        [
          [{ __type: 'token', value: 'f' }, []],
          [{ __type: 'binary', value: 'AAEC' }, []],
          [false, []],
        ],
        [['g', { __type: 'date', value: 1 }]],
      ],
    ],
    ['h', [{ __type: 'displaystring', value: '\u00fc' }, []]],
  ]);
});

test('a list is its members', () => {
  expect(listJson(parseList('1;a, ("b");c') ?? [])).toEqual([
    [1, [['a', true]]],
    [[['b', []]], [['c', true]]],
  ]);
});

test('an item', () => {
  const item = parseItem('-2;a=3');
  expect(item && itemJson(item)).toEqual([-2, [['a', 3]]]);
});
