import { fork, spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { usageOf } from '../../bench/soak/sample.ts';
import { heldBy, TELLS_WHAT_IT_HOLDS, type Held } from '../_held.ts';
import { INSPECTED } from '../_inspected.ts';
import { Installation, Running, withoutSettings } from '../_process.ts';

/** What the honest client has seen. */
export interface Seen {
  readonly requests: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Milliseconds that the event loop was busy, at most, before a request had its response. */
  readonly busiest: number;
  readonly errors: readonly string[];
}

interface SiegeOptions {
  /** Most descriptors the service may have. */
  readonly descriptors?: number;
  /** MiB that V8 may have for old objects. */
  readonly heap?: number;
  /** Whether the honest client makes connections, too. */
  readonly connects?: boolean;
  /** Megabytes for inspected connections; 0 without --inspect. */
  readonly inspectMemory?: number;
}

/** What an attack takes at most. */
export interface Toll {
  /** MiB resident. */
  readonly memory: number;
  /**
   * Milliseconds that the event loop was busy before an honest client had its response. On a machine
   * that has nothing else to do it waits as long.
   */
  readonly wait: number;
}

/** What the service holds. */
interface ServiceHeld extends Held {
  readonly descriptors: number;
}

/**
 * How much slower honest answers may become, and the milliseconds that are never too slow: attacker,
 * service and honest client share the machine's cores, and a flood may be over in ten answers.
 */
const SLOWER = 5;
const NEVER_TOO_SLOW = 250;
/** A machine that others use holds up anybody once: what a defect takes, it takes every time. */
export const TRIES = 3;
/** Milliseconds that the honest client asks for at least. */
const SHORTEST = 300;
/** Milliseconds in which everything an attack took has to be given back. */
const RECOVERY = 30_000;
/** MiB that code has come to meanwhile, and the memory /bytes keeps for its next pieces. */
const WARMER = 12;
/** Megabytes for inspected connections, with `npm run test:inspect`. */
const INSPECT_MEMORY = 8;

/** Milliseconds that the event loop may be busy before an honest client has its response. */
const BUSY = 400;

const NOT_RECOVERED = 'memory, descriptors or timers are not given back';

/** A service under attack, and an honest client beside. */
class Siege {
  readonly #installation = new Installation();
  readonly #running: Running;
  #client: ChildProcess | undefined;
  #quiet: Seen | undefined;
  #before: ServiceHeld = { memory: 0, descriptors: 0, timers: 0 };

  readonly #connects: boolean;
  readonly #inspectMemory: number;

  constructor(
    args: readonly string[],
    {
      descriptors,
      heap,
      connects = false,
      inspectMemory = INSPECTED ? INSPECT_MEMORY : 0,
    }: SiegeOptions,
  ) {
    this.#connects = connects;
    const memory = heap === undefined ? [] : [`--max-old-space-size=${heap}`];
    const node = [process.execPath, ...memory, ...TELLS_WHAT_IT_HOLDS];
    this.#inspectMemory = inspectMemory;
    const inspect = inspectMemory > 0 ? ['--inspect', `--inspect-memory=${inspectMemory}`] : [];
    const common = ['--port=0', '--host=127.0.0.1', ...inspect];
    const all = [...node, this.#installation.main, ...common, ...args];
    const limited = descriptors === undefined ? '' : `ulimit -n ${descriptors}; `;
    const command = ['-c', `${limited}exec "$@"`, 'sh', ...all];
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];
    const child = spawn('sh', command, withoutSettings({ stdio }));
    this.#running = new Running(child);
  }

  get port(): number {
    return this.#running.port;
  }

  /** Waits until it serves, warms it up, and takes the honest client's quiet figures. */
  async begin(): Promise<void> {
    await this.#running.listens();
    const script = fileURLToPath(new URL('honest.mjs', import.meta.url));
    this.#client = fork(script, [
      String(this.port),
      String(this.#running.child.pid),
      ...(this.#connects ? ['connects'] : []),
    ]);
    // The attacks come from this process: it takes from the honest client no more than the service does.
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    await pause(1500);
    await this.#ask();
    await pause(1000);
    this.#quiet = await this.#ask();
    this.#before = await this.held();
  }

  /** What the system sees: MiB resident, and descriptors. */
  usage(): Pick<ServiceHeld, 'memory' | 'descriptors'> {
    return usageOf(this.#running.child.pid ?? 0);
  }

  /** Once its garbage is collected. */
  async held(): Promise<ServiceHeld> {
    const { memory, timers } = await heldBy(this.#running.child);
    return { memory, timers, descriptors: this.usage().descriptors };
  }

  /** Those that keep the process, at once. */
  async timers(): Promise<number> {
    const { timers } = await heldBy(this.#running.child, 'how many timers?');
    return timers;
  }

  /**
   * The MiB by which what is resident grows at most, while something goes on.
   *
   * @param interval milliseconds between two looks
   */
  async growth(act: () => Promise<unknown>, interval = 50): Promise<number> {
    const { memory } = this.usage();
    let most = memory;
    const looks = setInterval(() => {
      most = Math.max(most, this.usage().memory);
    }, interval);
    await act();
    clearInterval(looks);
    return Math.max(most, this.usage().memory) - memory;
  }

  /** What an attack takes, which the service and its honest client have to survive. */
  async toll(attack: () => Promise<unknown>): Promise<Toll> {
    await this.held();
    await this.#ask();
    const { memory } = this.usage();
    let wait = 0;
    const growth = await this.growth(async () => {
      await attack();
      // Until a request that came after the attack has its response.
      for (let requests = 0; requests < 2;) {
        const seen = await this.#ask();
        expect(seen.errors).toEqual([]);
        wait = Math.max(wait, seen.busiest);
        requests = seen.requests;
        if (requests < 2) await pause(20);
      }
    });
    expect(this.#running.ended).toBeUndefined();
    return { memory: memory + growth, wait };
  }

  /**
   * Runs an attack and holds the service to what has to come of it: it lives, the honest client saw
   * no error and was not much slower, and what was taken is given back. An attack during which the honest client
   * was slow is repeated.
   *
   * @param neverTooSlow milliseconds an honest answer may take at any rate
   * @returns what the attack returns
   */
  async withstand<T>(
    name: string,
    attack: () => Promise<T>,
    neverTooSlow = NEVER_TOO_SLOW,
  ): Promise<T> {
    const bound = Math.max(SLOWER * (this.#quiet?.p99 ?? 0), neverTooSlow);
    let { result, p99 } = await this.#attacked(name, attack);
    for (let tries = 1; tries < TRIES && p99 >= bound; tries++) {
      ({ result, p99 } = await this.#attacked(name, attack));
    }
    expect(p99).toBeLessThan(bound);
    return result;
  }

  /**
   * Runs an attack, during which the event loop is busy before an honest response for a bounded time. Unlike
   * `withstand`, other programs of the machine do not matter.
   *
   * @param busy milliseconds at most
   */
  async endure(name: string, attack: () => Promise<unknown>, busy = BUSY): Promise<void> {
    const began = performance.now();
    const { wait, memory } = await this.toll(attack);
    const seconds = (performance.now() - began) / 1000;
    await this.recover();
    process.stdout.write(
      `  ${name}: ${seconds.toFixed(1)} s; busy for ${wait.toFixed(0)} ms, resident ${memory.toFixed(0)} MiB\n`,
    );
    expect(wait).toBeLessThan(busy);
  }

  async #attacked<T>(name: string, attack: () => Promise<T>): Promise<{ result: T; p99: number }> {
    await this.#ask();
    const began = performance.now();
    const result = await attack();
    // A short attack may be over between two honest requests.
    await pause(Math.max(0, SHORTEST - (performance.now() - began)));
    const during = await this.#ask();
    const seconds = (performance.now() - began) / 1000;
    const after = await this.#recovered();
    const quiet = this.#quiet?.p99 ?? 0;
    process.stdout.write(
      `  ${name}: ${seconds.toFixed(1)} s; honest ${during.requests} requests, ` +
        `${during.errors.length} errors, p99 ${during.p99.toFixed(1)} ms busiest ${during.busiest.toFixed(0)} (quiet ${quiet.toFixed(1)}); ` +
        `in use ${this.#before.memory.toFixed(0)} → ${after.memory.toFixed(0)} MiB, ` +
        `resident ${this.usage().memory.toFixed(0)} MiB, ` +
        `descriptors ${this.#before.descriptors} → ${after.descriptors}, ` +
        `timers ${this.#before.timers} → ${after.timers}\n`,
    );
    expect(this.#running.ended).toBeUndefined();
    expect(during.errors).toEqual([]);
    expect(during.requests).toBeGreaterThan(0);
    expect(this.#isRecovered(after), NOT_RECOVERED).toBe(true);
    return { result, p99: during.p99 };
  }

  /** Waits until what attacks took is given back. */
  async recover(): Promise<void> {
    const after = await this.#recovered();
    expect(this.#isRecovered(after), `${NOT_RECOVERED}: ${JSON.stringify(after)}`).toBe(true);
  }

  async end(): Promise<void> {
    this.#client?.kill();
    this.#running.child.kill('SIGTERM');
    expect(await this.#running.exit).toBe(0);
    expect(this.#running.stderr).toBe('');
    this.#installation.remove();
  }

  /** What is held once it is what it was, or when the time is up. */
  async #recovered(): Promise<ServiceHeld> {
    const timeUp = performance.now() + RECOVERY;
    for (;;) {
      const held = await this.held();
      if (this.#isRecovered(held) || performance.now() > timeUp) return held;
      await pause(100);
    }
  }

  #isRecovered({ memory, descriptors, timers }: ServiceHeld): boolean {
    const before = this.#before;
    return (
      descriptors <= Math.ceil(before.descriptors * 1.1) &&
      timers <= before.timers &&
      memory < before.memory * 1.1 + WARMER + this.#inspectMemory
    );
  }

  async #ask(): Promise<Seen> {
    const client = this.#client;
    if (!client) throw new Error('there is no honest client yet');
    const answer = once(client, 'message');
    client.send('what have you seen?');
    const [seen] = (await answer) as [Seen];
    return seen;
  }
}

/** For all tests of a file. */
export function besieged(args: readonly string[] = [], options: SiegeOptions = {}): Siege {
  const siege = new Siege(args, options);
  beforeAll(() => siege.begin());
  afterAll(() => siege.end());
  return siege;
}
