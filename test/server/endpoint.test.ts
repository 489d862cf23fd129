import { describe, expect, test } from 'vitest';
import { endpoint, override, type Endpoint } from '../../src/server/endpoint.ts';
import { anyText, int, optional } from '../../src/server/params.ts';
import { json } from '../../src/server/reply.ts';
import { FakeExchange } from '../_exchange.ts';

const declaration = { group: 'content', summary: 'A test.', responses: {} } as const;

describe('what a declaration leaves out', () => {
  test.each([
    ['/redirect-to', 'redirect_to'],
    ['/robots.txt', 'robots_txt'],
    ['/forms/post', 'forms_post'],
  ] as const)('the id of %s is %s', (path, id) => {
    expect(endpoint({ ...declaration, path, handle: () => json({}) }).id).toBe(id);
  });

  test('the id has the literal segments only', () => {
    const params = { n: int({ min: 0, max: 9 }) };
    const { id } = endpoint({ ...declaration, path: '/a/{n}/b', params, handle: () => json({}) });
    expect(id).toBe('a_b');
  });

  test('GET, without parameters and content', () => {
    const { methods, params, query, content } = endpoint({
      ...declaration,
      path: '/a',
      handle: () => json({}),
    });
    expect({ methods, params, query, content }).toEqual({
      methods: ['GET'],
      params: {},
      query: {},
      content: false,
    });
  });
});

/** What the endpoint responds to a request. */
function contentOf(endpointOfPath: Endpoint, target: string): unknown {
  const exchange = new FakeExchange(target);
  const segments = exchange.target?.path.split('/').slice(2) ?? [];
  const reply = endpointOfPath.respond(exchange, segments, Buffer.alloc(0));
  if (reply instanceof Promise) throw new Error('the handler is synchronous');
  if (typeof reply.payload !== 'string') throw new Error('the content is a string');
  return JSON.parse(reply.payload);
}

describe('override', () => {
  const base = endpoint({
    ...declaration,
    methods: 'any',
    path: '/a/{n}',
    params: { n: int({ min: 0, max: 9 }) },
    query: { word: optional(anyText(), 'none') },
    additionalQuery: 'Anything.',
    exampleQuery: 'word=x',
    content: true,
    responses: { 200: { description: 'OK.' } },
    handle: ({ params, query }) => json({ ...params, ...query }),
  });
  test('inherits what it does not name', () => {
    const { apply } = override('/a/{n}', { summary: 'Other.', handle: () => json('other') });
    const changed = apply(base);
    expect({ ...changed, respond: undefined }).toEqual({
      ...base,
      summary: 'Other.',
      respond: undefined,
    });
    expect(contentOf(base, '/a/1?word=b')).toEqual({ n: 1, word: 'b' });
    expect(contentOf(changed, '/a/1?word=b')).toBe('other');
  });

  test('calls the handler with the parameters it declares', () => {
    const { apply } = override('/a/{n}', {
      params: { n: anyText() },
      query: { size: int({ min: 0, max: 9 }) },
      handle: ({ params, query }) => json({ ...params, ...query }),
    });
    expect(contentOf(apply(base), '/a/x?size=3')).toEqual({ n: 'x', size: 3 });
    expect(() => contentOf(apply(base), '/a/x?size=y')).toThrow('size=y is not a whole');
  });

  test.each([
    [{ query: {} }, undefined],
    [{ additionalQuery: 'Others.' }, { description: 'Others.' }],
  ])('%o replaces all of the query', (changes, additionalQuery) => {
    const { apply } = override('/a/{n}', { ...changes, handle: () => json('') });
    const { query, additionalQuery: others, exampleQuery } = apply(base);
    expect({ query, others, exampleQuery }).toEqual({ query: {}, others: additionalQuery });
  });
});
