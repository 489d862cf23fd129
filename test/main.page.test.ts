import { env } from 'node:process';
import { expect, test } from 'vitest';
import { installed } from './_process.ts';

const installation = installed('compiled');

/** Makes the first read of two files of the page, and of two of /docs/, fail, as it does while all descriptors are in use. */
const FAILING_AT_FIRST = `
  import files from 'node:fs/promises';
  import { syncBuiltinESMExports } from 'node:module';
  const { readFile } = files;
  const failed = new Set();
  files.readFile = async (...given) => {
    const path = String(given[0]);
    if (failed.has(path) || !/browser.(?:page|main)[.]|docs.(?:files|tap)[.]/.test(path)) return readFile(...given);
    failed.add(path);
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  };
  syncBuiltinESMExports();
`;

test('the page, its files and docs are served once they can be read', async () => {
  const preload = `--import=data:text/javascript,${encodeURIComponent(FAILING_AT_FIRST)}`;
  const running = installation().run(['--port=0'], { env: { ...env, NODE_OPTIONS: preload } });
  await running.listens();
  const ask = async (path: string): Promise<[status: number, content: string]> => {
    const url = `http://127.0.0.1:${running.port}${path}`;
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    return [response.status, await response.text()];
  };
  expect(await ask('/')).toEqual([500, expect.anything()]);
  await expect.poll(async () => (await ask('/'))[0]).toBe(200);
  const [, page] = await ask('/');
  const [file = ''] = /page\/[^/"]+\/main\.js/.exec(page) ?? [];
  expect(await ask(`/${file}`)).toEqual([500, expect.anything()]);
  expect(await ask(`/${file}`)).toEqual([200, expect.anything()]);
  const statuses = [await ask('/docs/tap'), await ask('/docs/tap'), await ask('/docs/tap')];
  expect(statuses.map(([status]) => status)).toEqual([500, 500, 200]);
});
