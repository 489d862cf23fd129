import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CertificateFiles } from './_certificates.ts';
import { pages } from './commands/_blocks.ts';
import { installed } from './_process.ts';

const EXAMPLES = fileURLToPath(new URL('../docs/examples', import.meta.url));

// From its folder 'wirebin' is the compiled package, by its `exports`.
const installation = installed();

test.each(readdirSync(EXAMPLES))('docs/examples/%s passes', async (file) => {
  const { root } = installation();
  cpSync(EXAMPLES, join(root, 'examples'), { recursive: true });
  const running = installation().shell(`cd '${root}' && exec node 'examples/${file}'`);
  const code = await running.exit;
  expect(code, running.stdout + running.stderr).toBe(0);
  expect(running.stdout).toMatch(/^(?:#|ℹ) pass [1-9]/m);
});

const blocks = pages.flatMap(({ path, blocks: own }) =>
  own
    .filter(({ language, text }) => /^[jt]s$/.test(language ?? '') && /from 'wirebin'/.test(text))
    .map(({ line, language = '', text }) => [`${path}:${line}`, language, text] as const),
);

test('pages have examples in JavaScript and TypeScript', () => {
  expect(new Set(blocks.map(([, language]) => language))).toEqual(new Set(['js', 'ts']));
});

test.each(blocks)('%s, in %s, is right', async (_, language, text) => {
  const { root } = installation();
  const file = join(root, language === 'js' ? 'page.mjs' : 'page.ts');
  writeFileSync(file, text);
  const compiler =
    'node_modules/typescript/bin/tsc --noEmit --strict --module nodenext --types node';
  const running = installation().shell(
    `cd '${root}' && exec node ${language === 'js' ? '' : compiler} '${file}'`,
  );
  expect(await running.exit, running.stdout + running.stderr).toBe(0);
});

/** Ends with an error where what it imports changes the process; `state` is what is compared. */
const watched = (state: string, options: object): string => `
  import { readdirSync } from 'node:fs';
  const handlers = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const state = () => JSON.stringify(${state});
  const before = state();
  const check = (doing) => {
    if (state() !== before) throw new Error(doing + ' it has changed something');
  };
  const { createService } = await import('wirebin');
  check('importing');
  const options = { logRequests: true, tap: true, metricsEnabled: true, ...${JSON.stringify(options)} };
  const one = await createService(options);
  const two = await createService(options);
  await (await fetch(one.httpOrigin + '/get')).text();
  check('serving with');
  await two.close();
  await one.drain();
  check('closing');
`;

test.each([
  ['handlers, files and environment', '[handlers(), readdirSync("."), process.env]', false],
  // Without a certificate of its own, a package that makes one defines some (docs/library.md).
  ['global variables', '[Object.keys(globalThis), Reflect.ownKeys(Reflect).length]', true],
])('the process of others keeps its %s, and ends once all is closed', async (_, state, own) => {
  const { root } = installation();
  const files = new CertificateFiles(root);
  await files.renew();
  const options = own ? { tlsCert: files.cert, tlsKey: files.key } : {};
  writeFileSync(join(root, 'program.mjs'), watched(state, options));
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
