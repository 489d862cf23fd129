import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { findProgram } from '../../../bench/processes.ts';
import { until } from '../../_adapters.ts';
import { Installation, type Running } from '../../_process.ts';

/** wirebin in a process of its own, with the certificate that it has made itself. */
export class Origin {
  /** For what clients keep. */
  readonly directory = mkdtempSync(join(tmpdir(), 'wirebin-client-'));
  readonly #installation = new Installation();
  readonly #running: Running;

  constructor(settings: readonly string[]) {
    this.#running = this.#installation.run(['--port=0', '--host=127.0.0.1', ...settings]);
  }

  async started(): Promise<this> {
    await until(() => this.#running.lines.length > 0);
    return this;
  }

  /** What a client has to trust. */
  get certificate(): string {
    return join(this.#installation.root, 'certs/wirebin.crt');
  }

  get pid(): number {
    return this.#running.child.pid ?? 0;
  }

  url(isSecure: boolean): string {
    return `${isSecure ? 'https' : 'http'}://127.0.0.1:${this.#running.port}`;
  }

  /** The path of a file for clients. */
  file(name: string): string {
    return join(this.directory, name);
  }

  /** @returns the exit code */
  async stop(): Promise<number | string> {
    this.#running.child.kill();
    const code = await this.#running.exit;
    rmSync(this.directory, { recursive: true });
    this.#installation.remove();
    return code;
  }
}

/** An origin for the tests of a file, which has to end well after them. */
export function startedOrigin(...settings: string[]): () => Origin {
  let origin: Origin;
  beforeAll(async () => {
    origin = await new Origin(settings).started();
  });
  afterAll(async () => {
    expect(await origin.stop()).toBe(0);
  });
  return () => origin;
}

/** How a program ended, and what it has written. */
export interface Ended {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

const MOST_OUTPUT = 64 * 1024 ** 2;

/** Runs a client to its end, whatever that is. */
export function run(program: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', maxBuffer: MOST_OUTPUT } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      const code = error?.code ?? 0;
      if (typeof code === 'string') reject(new Error(`${program}: ${code}`));
      else resolve({ code, stdout, stderr: stderr.toString() });
    });
  });
}

/** @returns what to say where the program is not there, undefined where it is */
export function missing(program: string): string | undefined {
  return findProgram(program) === undefined ? `not run: there is no ${program}` : undefined;
}
