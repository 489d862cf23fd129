import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import { startService, type Running } from '../_service.ts';
import { CLIENT, http1Client, http2Client, type ProxyClient } from '../proxies/_client.ts';
import { startConfigured } from '../proxies/_configured.ts';
import { howToInstall, pathOf } from '../proxies/_proxy-process.ts';
import { freePorts } from '../_system.ts';
import { receive, untilServed } from './_client.ts';
import { recipes, type Front, type Recipe, type RecipeName } from './_recipes.ts';
import { FOLDER, run, sectionOf } from './_section.ts';
import { streams } from '../_streams.ts';

/** For a proxy that closes connections after a second, or looks for them each second. */
const POLL = { timeout: 10_000, interval: 50 };

/** A recipe's proxy with wirebin behind it, both running. */
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
export function behindRecipe(name: RecipeName, ownTests?: (behind: BehindRecipe) => void): void {
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
      test.each(clientsOf(front))('$version', async ({ version, open }) => {
        const client = await open(behind.port(front.port));
        onTestFinished(() => client.close());
        await expectClaims(front, client, version);
      });
    });
    test.each(recipe.fronts)('trailers at port $port: $trailers', async (front) => {
      // Varnish aborts such a response.
      const { trailers } = await receive(behind.port(front.port), '/trailers?x=1', front).catch(
        () => ({ trailers: {} }),
      );
      expect(trailers).toEqual(front.trailers ? { x: '1' } : {});
    });
    test.each(recipe.fronts)('content at port $port arrives piece by piece', async (front) => {
      const path = '/drip?numbytes=2&duration=0.5';
      const { pieces } = await receive(behind.port(front.port), path, front);
      expect(pieces.map(String)).toEqual(['*', '*']);
    });
    test.each(recipe.fronts)('port $port takes content of any size', async (front) => {
      const sent = { ...front, content: Buffer.alloc(1_100_000) };
      expect((await receive(behind.port(front.port), '/upload', sent)).status).toBe(200);
    });
    test.each(sectionOf(name, 'What to look at').commands)('%s', async (command) => {
      const { status, output } = await run(command, behind.port);
      expect(status === 0, output).toBe(!command.includes('fault='));
      expect(output).not.toMatch(/"status": 400|^HTTP\/\S+ (?:4|502|504)/m);
    });
    if (recipe.idle) {
      test('the proxy closes connections that are idle', async () => {
        await expect.poll(() => openConnections(behind.running(), recipe), POLL).toBe(0);
      });
    }
    test('wirebin check finds wirebin', async () => {
      expect(await check(behind, recipe)).toMatchObject({ code: expect.toBeOneOf([0, 1]) });
    });
    ownTests?.(behind);
  });
}

function startRecipe(name: string, recipe: Recipe): BehindRecipe {
  const { commands, settings, fronts, idle } = recipe;
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
      ...(idle && { edit: (text) => text.replaceAll(...idle) }),
    });
    ending.push(() => proxy.close());
    for (const { port, secure } of fronts) await untilServed(ports.get(port) ?? 0, secure);
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

/** The protocol of both sides, the address of the client, the URL, and that connections are reused. */
async function expectClaims(front: Front, client: ProxyClient, version: string): Promise<void> {
  const path = '/anything?a=%2F';
  const { url, origin, conn } = await client.get(path);
  expect(origin).toBe(CLIENT);
  const same = version === 'HTTP/2' ? 'h2c' : 'http/1.1';
  expect(conn.protocol).toBe(front.origin === 'as the client' ? same : front.origin);
  expect(conn.proxy_protocol?.version).toBe(front.proxyProtocol);
  const scheme = front.secure && front.proxyProtocol === undefined ? 'https' : 'http';
  expect(url.startsWith(`${scheme}://`), url).toBe(true);
  expect(url.endsWith(path), url).toBe(true);
  // One that began with a PROXY header is for one client; others may go back to the pool a moment later.
  if (front.proxyProtocol !== undefined) return;
  await expect.poll(async () => (await client.get(path)).conn.request).toBeGreaterThan(1);
}

function openConnections({ service }: Running, { keepsIdleHttp2 = false }: Recipe): number {
  const transports = Object.entries(service.connections?.entries().transports ?? {});
  return transports
    .filter(([transport]) => !keepsIdleHttp2 || transport !== 'h2c')
    .reduce((sum, [, { open }]) => sum + open, 0);
}

/** Runs the command of the page, with a few of its checks. */
async function check({ port }: BehindRecipe, { checked }: Recipe) {
  let text = '';
  const write = (more: string): void => void (text += more);
  const target = checked.replace(/\d{4}$/, (configured) => String(port(Number(configured))));
  const origin = `http://localhost:${port(8080)}`;
  const code = await runCheck(
    [target, '--insecure', '--origin', origin, '--only', 'hop/*'],
    streams({ out: write, error: write }),
  );
  return { code, text };
}
