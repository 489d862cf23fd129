// Shows wirebin behind each proxy that is installed: `npm run demo`. See docs/recipes/README.md.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePorts } from '../test/_system.ts';
import type { ProxyProcess } from '../test/proxies/_proxy-process.ts';
import { DRAIN_DELAY, installedRecipes, Instance, startProxy, type Proxy } from './demo/stage.ts';
import {
  FAILED,
  faults,
  ordinary,
  play,
  retries,
  type Act,
  type Outcome,
  type Way,
} from './demo/traffic.ts';

/** Seconds until two health checks of HAProxy have succeeded. */
const RETURN_TIME = 5;

/** How long all takes, how long each act in seconds, and what the commands that write reports leave out. */
const LENGTHS = {
  whole: {
    all: 'two and a half minutes',
    act: 12,
    check: ['--rate', '200'],
    bench: ['--time', '20s'],
  },
  quick: { all: 'a minute', act: 3, check: ['--only', 'host/*,hop/*'], bench: ['--rounds', '1'] },
};
type Length = (typeof LENGTHS)['whole' | 'quick'];

function say(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

let step = 0;

function announce(title: string, look: string): void {
  say('', `${++step}. ${title}`, `   Look at ${look}.`);
}

/** What runs, and where clients send requests. */
class Demo {
  readonly #started: ProxyProcess[] = [];
  readonly #length: Length;
  readonly #stopped: AbortSignal;
  readonly #proxies: Proxy[] = [];
  readonly #blue: Instance;
  readonly #green: Instance;

  constructor(length: Length, stopped: AbortSignal, ports: readonly number[]) {
    const [blue = 0, green = 0] = ports;
    this.#length = length;
    this.#stopped = stopped;
    this.#blue = new Instance('blue', blue);
    this.#green = new Instance('green', green);
  }

  async run(opens: boolean): Promise<void> {
    for (const instance of [this.#blue, this.#green]) {
      await instance.start();
      this.#started.push(instance);
    }
    const page = `${this.#blue.url}/#tap`;
    if (opens) openBrowser(page);
    announce(
      'Two instances of wirebin behind every installed proxy',
      `${page}, the tap, while requests arrive`,
    );
    say(
      `   All of it takes about ${this.#length.all}. One client per proxy sends one request at a time,`,
      '   so a slower proxy gets fewer.',
    );
    for (const { url, name } of [this.#blue, this.#green]) say(`   ${name.padEnd(18)} ${url}`);
    await this.#startProxies();
    for (const act of [ordinary, faults]) tell(this.#ways, await this.#play(act, this.#lasting()));
    await this.#tellRetries(await this.#play(retries, this.#lasting()));
    await this.#showRestart();
    await this.#report();
    say('', `The page stays at ${page} until Ctrl-C.`);
    await pause(2 ** 31 - 1, undefined, { signal: this.#stopped });
  }

  /** In parallel: an instance that is to end may wait for its readers. */
  async close(): Promise<void> {
    await Promise.all(this.#started.map((each) => each.close()));
  }

  async #startProxies(): Promise<void> {
    for (const [name, recipe] of installedRecipes()) {
      this.#stopped.throwIfAborted();
      try {
        const proxy = await startProxy(name, recipe, [this.#blue, this.#green]);
        this.#started.push(proxy);
        this.#proxies.push(proxy);
        say(`   ${proxy.title.padEnd(18)} ${proxy.plain}  ${proxy.secure}`);
      } catch (error) {
        const [line = ''] = String(error).split('\n');
        say(`   ${recipe.title} is left out: ${line}`);
      }
    }
    if (this.#proxies.length > 0) return;
    say('   Clients connect to blue, as no proxy runs. `npm run recipes` says how to install one.');
  }

  get #ways(): readonly Way[] {
    const { url, port } = this.#blue;
    const itself = { name: 'blue', title: 'blue', plain: url, secure: `https://localhost:${port}` };
    return this.#proxies.length > 0 ? this.#proxies : [itself];
  }

  /** Whether an act that begins now is over. */
  #lasting(): () => boolean {
    const end = performance.now() + this.#length.act * 1000;
    return () => performance.now() > end;
  }

  async #play({ title, look, requests }: Act, isOver: () => boolean): Promise<readonly Outcome[]> {
    this.#stopped.throwIfAborted();
    announce(title, look);
    const isOverNow = (): boolean => this.#stopped.aborted || isOver();
    return Promise.all(this.#ways.map((way) => play(way, requests, isOverNow)));
  }

  /** From the journals, what has arrived of what was sent. */
  async #tellRetries(outcomes: readonly Outcome[]): Promise<void> {
    for (const [at, { title }] of this.#ways.entries()) {
      const { counts = new Map<string, number>(), keys = [] } = outcomes[at] ?? {};
      const sent = [...counts.values()].reduce((sum, count) => sum + count, 0);
      let arrived = 0;
      for (const key of keys) {
        for (const { url } of [this.#blue, this.#green]) {
          const journal = await (await fetch(`${url}/journal/${key}`)).text();
          arrived += Number(/"count": ?(\d+)/.exec(journal)?.[1]);
        }
      }
      say(`   ${title.padEnd(18)} ${sent} attempts by clients, ${arrived} have arrived`);
    }
  }

  async #showRestart(): Promise<void> {
    let isDone = false;
    const title = 'A rolling restart, while ordinary requests go on';
    const look = 'the tap, which goes on with the new process, and at what clients notice';
    const [outcomes] = await Promise.all([
      this.#play({ ...ordinary, title, look }, () => isDone),
      this.#restart().finally(() => (isDone = true)),
    ]);
    tell(this.#ways, outcomes);
  }

  async #restart(): Promise<void> {
    for (const instance of [this.#blue, this.#green]) {
      const { name } = instance;
      this.#stopped.throwIfAborted();
      say(`   ${name} gets SIGTERM: /readyz fails, and ${DRAIN_DELAY} s later the port closes.`);
      await instance.close();
      // Nothing would end what begins now.
      this.#stopped.throwIfAborted();
      await instance.start();
      say(`   ${name} is back.`);
      await pause(RETURN_TIME * 1000, undefined, { signal: this.#stopped });
    }
  }

  /** Leaves a report of a check and one of a benchmark. */
  async #report(): Promise<void> {
    const directory = mkdtempSync(join(tmpdir(), 'wirebin-demo-'));
    const [proxy] = this.#proxies;
    const subject = proxy?.title ?? 'wirebin itself';
    const origins = ['--origin', this.#blue.url, '--origin', this.#green.url];
    const checked = proxy ? [proxy.secure, '--insecure', ...origins] : ['--self'];
    // With more connections, load, proxy and origin wait for each other on two cores, and the row is invalid.
    const rows = ['--only', 'healthz', '--protocol', 'http/1.1', '--connections', '1'];
    const { check, bench } = this.#length;
    await this.#write(directory, `What ${subject} changes`, ['check', ...checked, ...check]);
    await this.#write(directory, `What ${subject} costs on one connection`, [
      'bench',
      ...(proxy ? await this.#startMeasured(proxy) : ['--self']),
      ...rows,
      ...bench,
    ]);
  }

  /**
   * Starts the proxy once more, with an instance that the page does not show: to show each request of a benchmark, it
   * would take a core. @returns their URLs for `wirebin bench`
   */
  async #startMeasured({ name, recipe }: Proxy): Promise<readonly string[]> {
    const [port = 0] = await freePorts(1);
    const instance = new Instance('measured', port);
    await instance.start();
    this.#started.push(instance);
    const proxy = await startProxy(name, recipe, [instance]);
    this.#started.push(proxy);
    return [proxy.plain, '--direct', instance.url];
  }

  async #write(directory: string, title: string, args: readonly string[]): Promise<void> {
    const name = join(directory, args[0] ?? '');
    announce(
      `${title}: wirebin ${args.join(' ')}`,
      `${name}.html when the next line is here, or drop ${name}.json on the page`,
    );
    const reports = ['html', 'json'].flatMap((format) => [
      '--report',
      `${format}=${name}.${format}`,
    ]);
    const command = ['dist/main.js', ...args, ...reports];
    const written = await new Promise<string>((resolve) => {
      const options = { signal: this.#stopped };
      // The exit code says what was found.
      execFile(process.execPath, command, options, (_, out, errors) => resolve(out || errors));
    });
    this.#stopped.throwIfAborted();
    const summary = written.trimEnd().split('\n').at(-1) ?? '';
    if (!existsSync(`${name}.html`)) throw new Error(`There is no report: ${summary}`);
    say(`   ${summary}`);
  }
}

/** How many requests had which status. */
function tell(ways: readonly Way[], outcomes: readonly Outcome[]): void {
  for (const [at, { title }] of ways.entries()) {
    const counts = [...(outcomes[at]?.counts ?? [])]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([status, count]) => `${count} ${inWords(status)}`);
    say(`   ${title.padEnd(18)} ${counts.join(', ')}`);
  }
}

function inWords(status: string): string {
  if (status === FAILED) return status;
  // nginx makes it of a response on HTTP/1.1 that has no status line.
  return status.startsWith('0') ? `with the invalid status ${status}` : `with ${status}`;
}

/** Does nothing on Linux without a display. */
function openBrowser(url: string): void {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return;
  const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['cmd', '/c', 'start'],
  };
  const [program, ...args] = openers[process.platform] ?? ['xdg-open'];
  // The URL is on the terminal too.
  spawn(program, [...args, url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

async function main(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stop.abort());
  let demo: Demo | undefined;
  try {
    const options = { 'no-open': { type: 'boolean' }, quick: { type: 'boolean' } } as const;
    const { values } = parseArgs({ options });
    const length = LENGTHS[values.quick ? 'quick' : 'whole'];
    demo = new Demo(length, stop.signal, await freePorts(2));
    await demo.run(!values['no-open']);
  } catch (error) {
    if (!stop.signal.aborted) {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      return 1;
    }
  } finally {
    await demo?.close();
  }
  return 0;
}

process.exitCode = await main();
