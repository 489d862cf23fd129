import { describe, expect, test, vi } from 'vitest';
import { adapt } from '../../src/dialects/adapt.ts';
import { createDialects } from '../../src/dialects/all.ts';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import { DIALECT_NAMES } from '../../src/server/dialect.ts';
import { override } from '../../src/server/endpoint.ts';
import { empty } from '../../src/server/reply.ts';

/** Neither a new first segment nor a path beside those that dialects have may leak. */
const NEW = ['/teapot', '/links/{n}/{offset}/new', '/get/{n}'];

// As if endpoints/all.ts listed them.
vi.mock('../../src/endpoints/links.ts', async (importOriginal) => {
  const { endpoint } = await import('../../src/server/endpoint.ts');
  const { anyText } = await import('../../src/server/params.ts');
  const original = await importOriginal<typeof import('../../src/endpoints/links.ts')>();
  const declaration = { group: 'content', summary: 'New.', responses: {} } as const;
  const text = anyText();
  const added = [
    endpoint({ ...declaration, path: '/teapot', setting: '--tap', handle: () => empty(204) }),
    endpoint({
      ...declaration,
      id: 'new_links',
      path: '/links/{n}/{offset}/new',
      params: { n: text, offset: text },
      handle: () => empty(204),
    }),
    endpoint({
      ...declaration,
      id: 'new_get',
      path: '/get/{n}',
      params: { n: text },
      handle: () => empty(204),
    }),
  ];
  return { ...original, links: [...original.links, ...added] };
});

describe('a new endpoint in the list', () => {
  test.each(DIALECT_NAMES)('is served by wirebin only: %s', (name) => {
    const pod = { namespace: '', ingress: '', service: '', pod: '' };
    const { router, disabled } = createDialects(name, {
      ...completeState,
      pod,
      maxBodySize: 1000,
    }).default;
    const served = NEW.filter((path) => router.find(path)?.endpoint.path === path);
    expect(served).toEqual(name === 'wirebin' ? NEW : []);
    expect(NEW.filter((path) => disabled?.find(path))).toEqual([]);
  });
});

describe('adapt', () => {
  const change = override('/get', { summary: 'Changed.', handle: () => empty(204) });

  test('keeps the order of our endpoints, and adds those of the dialect', () => {
    const [first] = allEndpoints(completeState);
    const added = first ? [{ ...first, path: '/own' }] : [];
    const adapted = adapt({ inherited: '/uuid\n  /anything', overrides: [change], added });
    const endpoints = allEndpoints(completeState, adapted);
    expect(endpoints.map(({ path }) => path)).toEqual(['/anything', '/get', '/uuid', '/own']);
    expect(endpoints[1]?.summary).toBe('Changed.');
  });

  test('a dialect has neither what --disable lists nor what its setting turns off', () => {
    const adapted = adapt({ inherited: '/uuid /env', overrides: [change] });
    const state = { ...completeState, environment: undefined, disabled: ['/get'] };
    expect(allEndpoints(state, adapted).map(({ path }) => path)).toEqual(['/uuid']);
  });

  test.each([
    ['/nowhere', 'wirebin has no endpoint /nowhere to inherit or override'],
    ['/uuid /uuid', '/uuid is inherited or overridden twice'],
    ['/get', '/get is inherited or overridden twice'],
  ])('%s is a mistake', (inherited, message) => {
    expect(() => adapt({ inherited, overrides: [change] })).toThrow(message);
  });
});
