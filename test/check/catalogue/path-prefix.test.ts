import { describe, expect, test } from 'vitest';
import { startOrigin } from '../../../src/check/own-origin.ts';
import { checks } from '../../../src/check/catalogue/all.ts';
import { prefixOf } from '../../../src/check/path-prefix.ts';
import { startGateway } from '../_gateway-server.ts';
import { bench, quickChecks, those } from '../_run.ts';
import { mapped } from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

const started = bench();

/** What cannot be asked below a prefix. */
const ABOVE: ReadonlySet<string> = new Set(['target/asterisk', 'target/dot-segments-above-root']);

/** Each way has a half of the checks: all of them twice would take 40 s. */
const half = (how: string) =>
  quickChecks.filter(
    ({ needs = [] }, at) =>
      !needs.includes('removed-prefix') && at % 2 === (how === 'kept' ? 0 : 1),
  );

/** Serves below a prefix, which it removes. */
const stripping: Deviation = {
  refuses: ({ target }) => (target === '*' || target.startsWith('/api/') ? undefined : 404),
  request: (request) => {
    request.target = request.target.replace(/^\/api(?=\/)/, '');
  },
};

test.each(['removed', 'kept'])(
  'below a prefix that is %s, verdicts are as at the root',
  async (how) => {
    const asked = half(how);
    const { results: atRoot } = await started().reference();
    const isKept = how === 'kept';
    const origin = await startOrigin(0, isKept ? '/api' : '');
    const gateway = await startGateway(
      { originPort: Number(origin.url.port) },
      isKept ? {} : stripping,
    );
    const below = { ...gateway, url: new URL('/api/', gateway.url) };
    const { facts, results } = await started().run(below, asked, undefined, undefined, origin);
    await origin.close();
    expect(facts.isTunnel).toBe(false);
    const before = new Map(atRoot.map((each) => [`${each.front} ${each.id}`, each.outcome]));
    const turned = results.filter(
      ({ front, id, outcome }) => before.get(`${front} ${id}`) !== outcome,
    );
    const words = those(turned, 'fail', 'differs', 'error', 'blocked').join();
    const above = asked.map(({ id }) => id).filter((id) => ABOVE.has(id));
    expect(new Set(turned.map(({ id }) => id)), words).toEqual(new Set(above));
    expect(turned.filter(({ outcome }) => outcome !== 'not-applicable')).toEqual([]);
  },
);

describe('a prefix of several segments', () => {
  const PREFIX = '/api/v1';

  /** The verdict on a gateway that changes `Path=/check` to this, and adds a cookie of its own. */
  const verdictOn = async (path: string) => {
    const gateway = await startGateway(
      { originPort: started().originPort },
      {
        refuses: ({ target }) => (target.startsWith(`${PREFIX}/`) ? undefined : 404),
        request: (request) => {
          request.target = request.target.replace(PREFIX, '');
        },
        response: (response) => {
          const fields = mapped(response.fields, (value, name) =>
            name === 'set-cookie' ? value.replace('; Path=/check', path) : value,
          );
          response.fields = [['Set-Cookie', 'server=a; Path=/'], ...fields];
        },
      },
    );
    const chosen = checks.filter(({ id }) => id === 'cookie/prefix-path');
    const below = { ...gateway, url: new URL(PREFIX, gateway.url) };
    const { results } = await started().run(below, chosen);
    return results.find(({ front }) => front === 'http/1.1')?.outcome;
  };

  test.each([
    ['; Path=/api/v1/check', 'pass'],
    ['; Path=/api/v1', 'pass'],
    ['; Path=/api/v1/', 'pass'],
    ['; Path=/api', 'pass'],
    ['; Path=/api/', 'pass'],
    ['; Path=/', 'pass'],
    ['', 'pass'],
    ['; Path=', 'pass'],
    ['; Path=/check; Path=/api', 'pass'],
    ['; Path=/check', 'fail'],
    ['; Path=/ap', 'fail'],
    ['; Path=/api/v', 'fail'],
    ['; Path=/api; Path=/check', 'fail'],
  ])('cookie/prefix-path: a cookie with %j: %s', async (path, outcome) => {
    expect(await verdictOn(path)).toBe(outcome);
  });
});

test('a URL may end with a slash or not', () => {
  for (const path of ['', '/']) expect(prefixOf(new URL(`http://a${path}`))).toBe('');
  for (const path of ['/a/b', '/a/b/']) expect(prefixOf(new URL(`http://a${path}`))).toBe('/a/b');
});
