import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adapt } from '../../src/dialects/adapt.ts';
import { createDialects } from '../../src/dialects/all.ts';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import { links } from '../../src/endpoints/links.ts';
import { DIALECT_NAMES } from '../../src/server/dialect.ts';
import { endpoint, override, type Endpoint } from '../../src/server/endpoint.ts';
import { anyText } from '../../src/server/params.ts';
import { empty } from '../../src/server/reply.ts';

const noContent = () => empty(204);

describe('a new endpoint in the list', () => {
  const declaration = { group: 'content', summary: 'New.', responses: {} } as const;
  const n = anyText();
  /** A new first segment, and paths below some that the dialects have. */
  const added = [
    endpoint({ ...declaration, path: '/synthetic', setting: '--tap', handle: noContent }),
    endpoint({ ...declaration, id: 'a', path: '/get/{n}', params: { n }, handle: noContent }),
    endpoint({ ...declaration, id: 'b', path: '/html/{n}', params: { n }, handle: noContent }),
  ];
  const paths = added.map(({ path }) => path);
  // As if endpoints/all.ts listed them; it lists all of these.
  const list = links as Endpoint[];

  beforeAll(() => void list.push(...added));
  afterAll(() => void list.splice(-added.length));

  test.each(DIALECT_NAMES)('is served by wirebin only: %s', (name) => {
    const pod = { namespace: '', ingress: '', service: '', pod: '' };
    const state = { ...completeState, pod, maxBodySize: 1000 };
    const { router, disabled } = createDialects(name, state).default;
    const served = paths.filter((path) => router.find(path)?.endpoint.path === path);
    expect(served).toEqual(name === 'wirebin' ? paths : []);
    expect(paths.filter((path) => disabled?.find(path))).toEqual([]);
  });
});

describe('adapt', () => {
  const change = override('/get', { summary: 'Changed.', handle: noContent });

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
