import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import { startService, type Running } from '../_service.ts';
import { CLIENT, http1Client, http2Client, type ProxyClient } from '../proxies/_client.ts';
import { startConfigured } from '../proxies/_configured.ts';
import { freePorts, howToInstall, pathOf } from '../proxies/_proxy-process.ts';
import { recipes, type Front, type Recipe, type RecipeName } from './_recipes.ts';

const FOLDER = fileURLToPath(new URL('../../docs/recipes/', import.meta.url));

/** For a proxy that closes connections after a second, or looks for them each second. */
const POLL = { timeout: 10_000, interval: 50 };

/** A recipe's proxy and the wirebin after it, both running. */
export interface BehindRecipe {
  readonly running: () => Running;
  /** Where the proxy listens instead of on a port of its configuration. */
  readonly port: (configured: number) => number;
}

interface FrontClient {
  readonly version: string;
  readonly open: (port: number) => Promise<ProxyClient>;
}

function clientsOf({ secure }: Front): readonly FrontClient[] {
  const http1 = { version: 'HTTP/1.1', open: async (port: number) => http1Client(port, secure) };
  return secure ? [http1, { version: 'HTTP/2', open: http2Client }] : [http1];
}

/**
 * Tests what every recipe claims, and what its own tests add. Without the proxy, one skipped test names it.
 *
 * @param ownTests called where tests are declared
 */
export function behindRecipe(name: RecipeName, ownTests: (behind: BehindRecipe) => void): void {
  const recipe: Recipe = recipes[name];
  describe(recipe.title, () => {
    const missing = recipe.commands.filter(({ program }) => pathOf(program) === undefined);
    if (missing.length > 0) {
      const programs = missing.map(({ program }) => `${program} (${howToInstall(program)})`);
      test.skip(`not tested without ${programs.join(' and ')}`, () => undefined);
      return;
    }
    const behind = startRecipe(name, recipe);
    describe.each(recipe.fronts)('port $port', (front) => {
      test.each(clientsOf(front))('$version', async ({ open }) => {
        await expectClaims(front, await open(behind.port(front.port)));
      });
    });
    if (recipe.idle) {
      test('the proxy closes connections that are idle', async () => {
        await expect.poll(() => openConnections(behind.running()), POLL).toBe(0);
      });
    }
    test('wirebin check finds wirebin', async () => {
      expect(await check(behind, recipe)).toMatchObject({ code: expect.toBeOneOf([0, 1]) });
    });
    ownTests(behind);
  });
}

function startRecipe(name: string, recipe: Recipe): BehindRecipe {
  const { commands, settings, idle } = recipe;
  const ports = new Map<number, number>();
  let running: Running | undefined;
  const ending: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    const service = await startService(...settings);
    running = service;
    ending.push(() => service.service.close());
    const configured = commands.flatMap((command) => command.ports);
    const free = await freePorts(configured.length);
    for (const [at, port] of configured.entries()) ports.set(port, free[at] ?? 0);
    ports.set(8080, service.port);
    const proxy = await startConfigured(recipe, {
      folder: FOLDER + name,
      ports,
      ...(idle && { edited: idle }),
    });
    ending.push(() => proxy.close());
  });
  afterAll(async () => {
    for (const end of ending.toReversed()) await end();
  });
  return {
    running: () => {
      if (!running) throw new Error('wirebin has not started');
      return running;
    },
    port: (configured) => ports.get(configured) ?? 0,
  };
}

/** The version for the client, the address of the client, the scheme, and that connections are reused. */
async function expectClaims(front: Front, client: ProxyClient): Promise<void> {
  const path = '/anything?a=%2F';
  const first = await client.get(path);
  const second = await client.get(path);
  client.close();
  expect(first.origin).toBe(CLIENT);
  expect(first.conn.protocol).toBe(front.origin);
  expect(first.conn.proxy_protocol?.['version']).toBe(front.proxyProtocol);
  const scheme = front.secure && front.proxyProtocol === undefined ? 'https' : 'http';
  expect(first.url.startsWith(`${scheme}://`), first.url).toBe(true);
  expect(first.url.endsWith(path), first.url).toBe(true);
  expect(second.conn.request, 'of the second request').toBeGreaterThan(1);
}

function openConnections({ service }: Running): number {
  const { transports = {} } = service.connections?.entries() ?? {};
  return Object.values(transports).reduce((sum, { open }) => sum + open, 0);
}

/** Runs the command of the page, with a few of its checks. */
async function check({ port }: BehindRecipe, { checked }: Recipe) {
  let text = '';
  const write = (more: string): void => void (text += more);
  const target = checked.replace(/\d{4}$/, (configured) => String(port(Number(configured))));
  const origin = `http://localhost:${port(8080)}`;
  const code = await runCheck([target, '--insecure', '--origin', origin, '--only', 'hop/*'], {
    out: write,
    error: write,
    isTerminal: false,
    errorTerminal: undefined,
    program: 'wirebin',
    environment: {},
    signal: new AbortController().signal,
    ask: undefined,
  });
  return { code, text };
}
