import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { BY_OWN_FRAMES } from './_engine.ts';
import { INSPECTED } from './_inspected.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Signals that end a process by a defect of native code. */
const CRASH = /SIG(?:ABRT|SEGV|BUS|ILL|FPE|TRAP)/;

/** Lets a process that is to be killed write its coverage first. */
const KILLED = new URL('_killed.mjs', import.meta.url).href;

/** Which of the programs that test/_compiled.ts makes. */
type Program = 'compiled' | 'bundled';

/** wirebin, copied to a directory of its own, where it makes its own certificates. */
export class Installation {
  readonly root = mkdtempSync(join(tmpdir(), 'wirebin-'));
  readonly main = join(this.root, 'dist/main.js');
  readonly #started: Running[] = [];
  readonly #kept: Running[] = [];

  constructor(program: Program = 'compiled') {
    cpSync(inject(program), join(this.root, 'dist'), { recursive: true });
    copyFileSync(join(ROOT, 'package.json'), join(this.root, 'package.json'));
    // A junction needs no privilege on Windows; elsewhere it is a symbolic link.
    symlinkSync(join(ROOT, 'node_modules'), join(this.root, 'node_modules'), 'junction');
  }

  /** Starts `wirebin` with these arguments and no other setting in the environment. */
  run(args: readonly string[], options: SpawnOptions = {}): Running {
    const covered = inject('processCoverage') ? [`--import=${KILLED}`] : [];
    return this.#start(process.execPath, [...covered, this.main, ...args], options);
  }

  /** Starts it by another program, such as valgrind. */
  runBy(
    [program = '', ...before]: readonly string[],
    args: readonly string[],
    options: SpawnOptions,
  ): Running {
    return this.#start(program, [...before, this.main, ...args], options);
  }

  /** Starts what the shell makes of it. */
  shell(command: string): Running {
    return this.#start('sh', ['-c', command]);
  }

  /** Lets what it has started go on after the test. */
  keep(): void {
    this.#kept.push(...this.#started.splice(0));
  }

  /** Ends what it has started and what has not ended. @throws if one of them, or a worker, has crashed */
  kill(): void {
    const started = this.#started.splice(0);
    for (const { child } of started) kill(child);
    for (const each of started) each.assertNotCrashed();
  }

  remove(): void {
    this.keep();
    for (const { child } of this.#kept) kill(child);
    rmSync(this.root, { recursive: true });
  }

  #start(program: string, args: readonly string[], options: SpawnOptions = {}): Running {
    const running = new Running(spawn(program, args, withoutSettings(options)));
    this.#started.push(running);
    return running;
  }
}

/** For the tests of a file: an installation, and no process left behind a test. */
export function installed(program: Program = 'compiled'): () => Installation {
  let installation: Installation;
  beforeAll(() => {
    installation = new Installation(program);
  });
  afterEach(() => installation.kill());
  afterAll(() => installation.remove());
  return () => installation;
}

/** What is logged if a process has not handled an error, and what Node writes if that ends it. */
const UNHANDLED = /"msg":"unhandled rejection"|"how":"exit code 1"/;
const ENDED = /^Node\.js v\d/m;

/** A process, what it has written, and how it ends. If it does not handle an error, the run of the tests fails. */
export class Running {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  /** Whether it is to have errors that it does not handle. */
  fails = false;
  /** The exit code, or the signal that ended it. */
  readonly exit: Promise<number | string>;
  readonly #lines: Record<string, unknown>[] = [];
  /** The length of the output that they are. */
  #parsed = 0;

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.exit = new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
    });
    child.once('close', (_, signal) => {
      // In a worker that is starting when the primary is killed, Node's own code fails.
      const isEnded = signal !== 'SIGKILL' && ENDED.test(this.stderr);
      if (this.fails || !(isEnded || UNHANDLED.test(this.stdout))) return;
      throw new Error(`an error was not handled: ${this.stdout}${this.stderr}`);
    });
  }

  /** Waits until it listens. @throws if it exits before */
  listens(): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (Number.isInteger(this.port)) resolve();
      };
      this.child.stdout?.on('data', check);
      check();
      const fail = (how: unknown): void => {
        reject(new Error(`ended with ${String(how)} before it listened: ${this.stderr}`));
      };
      this.exit.then(fail, fail);
    });
  }

  /** @throws an error that names the signal if the process or a worker ended by a defect of native code */
  assertNotCrashed(): void {
    const signal = CRASH.exec(this.child.signalCode ?? this.stdout)?.[0];
    if (signal) throw new Error(`a process ended with ${signal}: ${this.stdout}${this.stderr}`);
  }

  /** How it has ended, as `exit`; undefined while it runs. */
  get ended(): number | string | undefined {
    return this.child.exitCode ?? this.child.signalCode ?? undefined;
  }

  /** The log so far. Those who wait for a line ask often, so that each line is parsed once. */
  get lines(): readonly Record<string, unknown>[] {
    const end = this.stdout.lastIndexOf('\n') + 1;
    const added = this.stdout.slice(this.#parsed, end).split('\n').filter(Boolean);
    this.#lines.push(...added.map((line) => JSON.parse(line) as Record<string, unknown>));
    this.#parsed = end;
    return this.#lines;
  }

  /** The lines with this message. */
  said(message: string): Record<string, unknown>[] {
    return this.lines.filter(({ msg }) => msg === message);
  }

  /** The port of the first line. */
  get port(): number {
    return Number(this.lines[0]?.['port']);
  }
}

function kill(child: ChildProcess): void {
  child.kill(inject('processCoverage') ? 'SIGALRM' : 'SIGKILL');
}

/** Without settings in the environment but `--inspect`, if every service is to have it. */
export function withoutSettings({ env, ...options }: SpawnOptions): SpawnOptions {
  // Those of the tests themselves, such as WIREBIN_TEST_INSPECT, would be warned of.
  const others = Object.entries(process.env).filter(
    ([name]) => name !== 'NODE_OPTIONS' && !name.startsWith('WIREBIN_'),
  );
  const coverage = inject('processCoverage');
  return {
    ...options,
    env: {
      ...Object.fromEntries(others),
      ...(INSPECTED && { WIREBIN_INSPECT: 'true' }),
      ...(BY_OWN_FRAMES && { WIREBIN_H2_ENGINE: 'wirebin' }),
      ...(coverage && { NODE_V8_COVERAGE: coverage }),
      ...env,
    },
  };
}
