import { expect, test } from 'vitest';
import { flagOf, settings } from '../src/settings/settings.ts';
import { overBothProtocols } from './_everywhere.ts';
import { INSPECTED } from './_inspected.ts';
import { startService } from './_service.ts';
import { ask, endpoints, quickTarget } from './_walk.ts';

const off = endpoints.filter(({ setting }) => setting !== undefined);

test('these wait for a setting', () => {
  const flags = new Set(Object.keys(settings).map((name) => `--${flagOf(name)}`));
  expect(off.map(({ path }) => path)).toEqual([
    '/raw',
    '/frames',
    '/control/ready',
    '/control/drain',
    '/control/exit',
    '/metrics',
    '/metrics/history',
    '/env',
    '/hostname',
    '/connections',
    '/connections/{id}',
    '/tap',
  ]);
  expect(off.filter(({ setting = '' }) => !flags.has(setting))).toEqual([]);
});

overBothProtocols(({ client }) => {
  test.each(['GET', 'HEAD', 'POST', 'OPTIONS'])('%s: 404 names the setting', async (method) => {
    for (const endpoint of off) {
      if (INSPECTED && endpoint.setting === '--inspect') continue;
      const path = quickTarget(endpoint).replace(/\?.*/, '');
      const { status, headers, body } = await client().request(path, { method });
      expect([path, status]).toEqual([path, 404]);
      expect(headers['content-type']).toBe('application/problem+json');
      if (method === 'HEAD') continue;
      expect(JSON.parse(body.toString())).toEqual({
        type: '/problems/endpoint-off',
        title: 'The endpoint is turned off',
        status: 404,
        detail: `${path} is off; ${endpoint.setting} turns it on`,
      });
    }
  });
});

test.each(off.map((endpoint) => [endpoint.path, endpoint] as const))(
  '%s is there with the setting that it names',
  async (_, endpoint) => {
    const { setting = '' } = endpoint;
    const value = ['--env-prefix', '--control'].includes(setting) ? ['SHOWN_'] : [];
    const { port } = await startService(setting, ...value);
    const headers = { authorization: 'Bearer SHOWN_' };
    const { methods } = endpoint;
    const method = methods === 'any' ? 'GET' : methods[0];
    const sent = { headers, ...(method && { method }) };
    const transport = endpoint.path === '/frames' ? 'h2c' : 'http/1.1';
    const { status, body } = await ask(transport, port, quickTarget(endpoint), sent);
    expect(body.toString()).not.toContain('/problems/endpoint-off');
    // The example of an id need not exist.
    if (endpoint.responses[404] === undefined) expect([200, 202]).toContain(status);
  },
);

test('what --disable lists is as unknown as what was never there', async () => {
  const { port } = await startService('--disable', '/tap');
  const { body } = await ask('http/1.1', port, '/tap');
  expect(body.toString()).toContain('/problems/not-found');
  expect(body.toString()).not.toContain('--');
});

test('httpbin says which paths only the own dialect has', async () => {
  const { port } = await startService('--dialect', 'httpbin', '--disable', '/docs');
  const detailOf = async (path: string) => {
    const { status, body } = await ask('http/1.1', port, path);
    return [status, /(?<=<p>).*(?=<)/.exec(body.toString())?.[0]];
  };
  const ownOnly = "is not in this dialect, only in wirebin's own; see /".replace("'", '&#39;');
  for (const path of ['/retry/a1', '/respond', '/raw']) {
    expect(await detailOf(path)).toEqual([404, `${path} ${ownOnly}`]);
  }
  for (const path of ['/nothing', '/docs/']) {
    expect(await detailOf(path)).toEqual([404, `${path} is not a path of wirebin; see /`]);
  }
});

test.each([
  ['httpbin', 'text/html; charset=utf-8', '<p>/metrics is off; --metrics-enabled turns it on</p>'],
  ['go-httpbin', 'application/json; charset=utf-8', '/metrics is off; --metrics-enabled turns'],
  ['postman-echo', 'application/problem+json', '/problems/endpoint-off'],
])('%s says so in its own way', async (name, type, text) => {
  const { port } = await startService('--dialect', name);
  const { status, headers, body } = await ask('http/1.1', port, '/metrics');
  expect([status, headers['content-type']]).toEqual([404, type]);
  expect(body.toString()).toContain(text);
});
