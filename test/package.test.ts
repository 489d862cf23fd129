import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { installed } from './_process.ts';

const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url));

// From its folder 'wirebin' is the compiled package, by its `exports`.
const installation = installed();

test.each(readdirSync(EXAMPLES))('examples/%s passes', async (file) => {
  const { root } = installation();
  cpSync(EXAMPLES, join(root, 'examples'), { recursive: true });
  const running = installation().shell(`cd '${root}' && exec node --test 'examples/${file}'`);
  const code = await running.exit;
  expect(code, running.stdout + running.stderr).toBe(0);
  expect(running.stdout).toMatch(/^(?:#|ℹ) pass [1-9]/m);
});

test('the process of others is left as it is, and ends once all is closed', async () => {
  const { root } = installation();
  const program = `
    import { readdirSync } from 'node:fs';
    const handlers = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
    const state = () => JSON.stringify([handlers(), readdirSync('.'), process.env, Object.keys(globalThis)]);
    const before = state();
    const { createService } = await import('wirebin');
    if (state() !== before) throw new Error('importing it has changed something');
    const one = await createService({ logRequests: true, tap: true, metricsEnabled: true });
    const two = await createService();
    await (await fetch(one.httpOrigin + '/get')).text();
    if (state() !== before) throw new Error('serving has changed something');
    await two.close();
    await one.drain();
    if (state() !== before) throw new Error('closing has changed something');
  `;
  writeFileSync(join(root, 'program.mjs'), program);
  const running = installation().shell(`cd '${root}' && exec node program.mjs`);
  const code = await running.exit;
  expect({ code, stdout: running.stdout, stderr: running.stderr }).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('CommonJS requires it', async () => {
  const { root } = installation();
  const program = "require('wirebin').createService().then((service) => service.close())";
  writeFileSync(join(root, 'program.cjs'), program);
  const running = installation().shell(`cd '${root}' && exec node program.cjs`);
  expect(await running.exit, running.stderr).toBe(0);
});
