import { freePorts } from '../../test/_system.ts';
import { startConfigured } from '../../test/proxies/_configured.ts';
import { pathOf, startServer, type ProxyProcess } from '../../test/proxies/_proxy-process.ts';
import { recipes, type Recipe } from '../../test/recipes/_recipes.ts';
import type { Way } from './traffic.ts';

/** Seconds from the failure of /readyz until the port is closed: HAProxy's three health checks. */
export const DRAIN_DELAY = 7;

/** The command line of an instance, but for its address. */
export function flagsOf(name: string): readonly string[] {
  const settings = Object.values<Recipe>(recipes).flatMap((recipe) => recipe.settings);
  const shown = ['--name', name, '--metrics-enabled', '--inspect', '--log-level', 'error'];
  const drain = ['--drain-delay', `${DRAIN_DELAY}s`, '--drain-timeout', '2s'];
  // Each of the recipes' settings once.
  return [...shown, ...drain, ...new Set(settings)];
}

/** A wirebin that can be restarted on its port. */
export class Instance implements ProxyProcess {
  readonly name: string;
  readonly port: number;
  #process: ProxyProcess | undefined;

  constructor(name: string, port: number) {
    this.name = name;
    this.port = port;
  }

  get url(): string {
    return `http://localhost:${this.port}`;
  }

  async start(): Promise<void> {
    const args = ['--host', '127.0.0.1', '--port', `${this.port}`, ...flagsOf(this.name)];
    this.#process = await startServer([process.execPath, 'dist/main.js', ...args], [this.port]);
  }

  /** Stops it by SIGTERM, which waits for health checks to notice, and then for open requests. */
  async close(): Promise<void> {
    await this.#process?.close();
  }
}

/** A proxy with instances behind it. */
export interface Proxy extends Way, ProxyProcess {
  readonly recipe: Recipe;
}

/** The recipes whose proxies are installed, by name. */
export function installedRecipes(): (readonly [string, Recipe])[] {
  return Object.entries<Recipe>(recipes).filter(([, { commands }]) =>
    commands.every(({ program }) => pathOf(program) !== undefined),
  );
}

/** Starts the proxy of a recipe on free ports, with one or two instances behind it. @throws if it does not start */
export async function startProxy(
  name: string,
  recipe: Recipe,
  [first, second]: readonly [Instance, Instance?],
): Promise<Proxy> {
  const configured = recipe.commands.flatMap((command) => command.ports);
  const free = await freePorts(configured.length);
  const ports = new Map(configured.map((port, at) => [port, free[at] ?? 0]));
  const urlOf = (isSecure: boolean): string => {
    const front = recipe.fronts.find(({ secure }) => secure === isSecure);
    return `${isSecure ? 'https' : 'http'}://localhost:${ports.get(front?.port ?? 0)}`;
  };
  const [plain, secure] = [urlOf(false), urlOf(true)];
  ports.set(8080, first.port).set(8090, second?.port ?? 0);
  const place = { folder: `docs/recipes/${name}`, ports, ...(second && { edited: recipe.second }) };
  const proxy = await startConfigured(recipe, place);
  return { name, recipe, title: recipe.title, plain, secure, close: () => proxy.close() };
}
