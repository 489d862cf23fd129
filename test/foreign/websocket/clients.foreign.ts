import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../../bench/processes.ts';
import { startService } from '../../_service.ts';
import { python } from '../_python.ts';
import { outputOf, type Command } from '../_suite.ts';

const scriptOf = (name: string): string =>
  fileURLToPath(new URL(`clients/${name}`, import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/foreign', import.meta.url));

/** What a client tells of the echo at a URL, or in words what is missing. */
type Client = (url: string) => Promise<unknown>;

async function told(command: Command, url: string): Promise<unknown> {
  const environment = { ...command.environment, FOREIGN_URL: url };
  return JSON.parse(await outputOf({ ...command, environment })) as unknown;
}

const clients: Readonly<Record<string, Client>> = {
  "Python's websockets": async (url) => {
    const environment = await python('websockets', ({ pip }) => pip('install', 'websockets==17.4'));
    if (typeof environment === 'string') return environment;
    return told({ program: environment.program, arguments: [scriptOf('echo.py')] }, url);
  },
  "Go's coder/websocket": async (url) => {
    const go = findProgram('go');
    if (go === undefined) return 'it needs Go and a module proxy';
    const directory = join(CACHE, 'coder-websocket');
    mkdirSync(directory, { recursive: true });
    copyFileSync(scriptOf('echo.go'), join(directory, 'main.go'));
    const required = 'require github.com/coder/websocket v1.8.15';
    writeFileSync(join(directory, 'go.mod'), `module echo\n\ngo 1.23\n\n${required}\n`);
    const program = join(directory, 'echo');
    await outputOf({ program: go, arguments: ['-C', directory, 'mod', 'tidy'] });
    await outputOf({ program: go, arguments: ['-C', directory, 'build', '-o', program, '.'] });
    return told({ program, arguments: [] }, url);
  },
  "Node's WebSocket": async (url) => {
    const npx = findProgram('npx');
    if (npx === undefined) return 'it needs npx and a package registry, for Node 22';
    const code = `import { echo } from ${JSON.stringify(scriptOf('echo.mjs'))};
      console.log(JSON.stringify(await echo(process.env.FOREIGN_URL)))`;
    const node = ['--yes', 'node@22', '--input-type=module', '--eval', code];
    return told({ program: npx, arguments: node }, url);
  },
  Chromium: async (url) => {
    const executablePath = findProgram('chromium') ?? findProgram('google-chrome');
    if (executablePath === undefined) return 'it needs Chromium';
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    try {
      const page = await browser.newPage();
      await page.goto(`${url.replace(/^ws/, 'http').replace(/websocket.*/, '')}status/200`);
      await page.addScriptTag({ path: scriptOf('echo.mjs'), type: 'module' });
      return await page.evaluate(`(async () => {
        const { echo } = await import(URL.createObjectURL(new Blob(
          [document.querySelector('script').textContent], { type: 'text/javascript' })));
        return echo(${JSON.stringify(url)});
      })()`);
    } finally {
      await browser.close();
    }
  },
};

describe.each([
  ['without', [], /^$/],
  ['with', ['--websocket-deflate'], /^permessage-deflate/],
])('%s permessage-deflate', (_, settings, extensions) => {
  test.each(Object.entries(clients))('%s', async (name, client) => {
    const { port, service } = await startService(...settings);
    const result = await client(`ws://127.0.0.1:${port}/websocket/echo`);
    service.close();
    if (typeof result === 'string') {
      console.warn(`${name} was not run: ${result}`);
      return;
    }
    expect(result).toMatchObject({
      path: '/websocket/echo',
      extensions: expect.stringMatching(extensions),
      fault: '1011 x',
    });
    expect(result).toHaveProperty('closed', expect.stringMatching(/^1000 /));
    expect(result).toHaveProperty('echoed', name.startsWith('Python') ? 81 : 80);
  });
});
