import { describe, expect, test } from 'vitest';
import { SignatureBases, type SignedMessage } from '../../../src/http/message-signatures/base.ts';
import { isInnerList, parseDictionary } from '../../../src/http/structured-fields.ts';

const LIMITS = { components: 64, characters: 4096 };

const message: SignedMessage = {
  method: 'POST',
  scheme: 'https',
  authority: 'example.com',
  requestTarget: '/foo?param=Value&Pet=dog',
  targetUri: 'https://example.com/foo?param=Value&Pet=dog',
  path: '/foo',
  query: 'param=Value&Pet=dog',
  fields: [
    'Host',
    'example.com',
    'Date',
    'Tue, 20 Apr 2021 02:07:55 GMT',
    'X-Empty',
    '',
    'X',
    '\xe9',
  ],
  trailers: [],
  typeOf: () => undefined,
};

/** @param input the member of Signature-Input */
function baseOf(input: string, limits = LIMITS): unknown {
  const member = parseDictionary(`a=${input}`)?.get('a');
  if (!member || !isInnerList(member)) throw new Error(`no inner list: ${input}`);
  return new SignatureBases(message).baseOf(member, limits);
}

test('RFC 9421 2.5: a line for each component, then the parameters, serialized anew', () => {
  const input = '("date"  "@method" "x-empty" "@query-param";name="Pet");created=01;keyid="k"';
  expect(baseOf(input)).toEqual({
    base: [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"x-empty": ',
      '"@query-param";name="Pet": dog',
      '"@signature-params": ("date" "@method" "x-empty" "@query-param";name="Pet");created=1;keyid="k"',
    ].join('\n'),
  });
});

describe('no base', () => {
  test.each([
    ['("date" "date")', '"date": it is covered twice (RFC 9421 2.5)'],
    ['("x";sf;tr "x";tr;sf)', '"x";sf;tr: the request has no such trailer field'],
    [
      '("date";key="a";sf "date";sf;key="a")',
      '"date";key="a";sf: the field is not a valid dictionary',
    ],
    ['(date)', 'date: the name of a component has to be a string'],
    ['("@method";req)', '"@method";req: req is for responses only (RFC 9421 2.4)'],
    ['("x")', '"x": the value has characters that are not ASCII (RFC 9421 2.5)'],
    ['("@status")', '"@status": it is for responses only (RFC 9421 2.2.9)'],
  ])('%s', (input, reason) => {
    expect(baseOf(input)).toEqual({ reason });
  });

  test('parameters in another order are the same component', () => {
    expect(baseOf('("x-empty";bs;tr "x-empty";tr;bs)')).toMatchObject({
      reason: expect.stringContaining('no such trailer'),
    });
    const twice = { ...message, trailers: ['X-Empty', ''] };
    const member = parseDictionary('a=("x-empty";bs;tr "x-empty";tr;bs)')?.get('a');
    if (!member || !isInnerList(member)) throw new Error('no inner list');
    expect(new SignatureBases(twice).baseOf(member, LIMITS)).toEqual({
      reason: '"x-empty";tr;bs: it is covered twice (RFC 9421 2.5)',
    });
  });

  test('of too many components, or too many characters', () => {
    expect(baseOf('("date" "@path")', { ...LIMITS, components: 1 })).toEqual({
      reason: 'more than 1 components are covered',
    });
    for (const characters of [10, 60]) {
      expect(baseOf('("date")', { ...LIMITS, characters })).toEqual({
        reason: `the signature base has more than ${characters} characters`,
      });
    }
  });
});
