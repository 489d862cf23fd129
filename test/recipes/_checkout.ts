import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';

const RECIPES = 'docs/recipes';

/** Debian keeps nginx where users' paths do not lead. */
const PATH = [process.env['PATH'], '/usr/sbin'].join(delimiter);

/** What is not installed of what the pipelines need. */
export function missingPrograms(): string[] {
  return ['nginx', 'openssl', 'curl', 'bash'].filter(
    (program) =>
      spawnSync('sh', ['-c', `command -v ${program}`], { env: { ...process.env, PATH } }).status !==
      0,
  );
}

/** The one of this checkout, not the published one. */
const NPX = `#!/bin/sh
[ "$1 $2 $3" = '--yes --package=./gateway/wirebin.tgz wirebin' ] && shift 3 && exec "$WIREBIN_NODE" "$WIREBIN_MAIN" "$@"
`;

/** Where nginx can write that has no place of its own, as in Debian. */
const WRITABLE = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${name};`)
  .join(' ');

/** What is checked out: a client whose tests use ORIGIN. */
const CLIENT = {
  'package.json': '{ "name": "client", "scripts": { "test": "node client.mjs" } }',
  'package-lock.json': '{ "lockfileVersion": 3, "packages": { "": { "name": "client" } } }',
  'client.mjs': 'console.log("the client got", (await fetch(`${process.env.ORIGIN}/get`)).status);',
};

/** What a script of a pipeline did. */
export interface ScriptRun {
  readonly code: number | null;
  /** What it wrote, standard error last. */
  readonly output: string;
}

/** A folder with the repository of a client and its gateway, in which the scripts of a pipeline run without Docker. */
export class Checkout {
  readonly #root = mkdtempSync(join(tmpdir(), 'wirebin-runner-'));
  readonly #place: (text: string) => string;

  /**
   * @param programs shell scripts in place of programs, by name
   * @param place puts ports and names of this machine in place of those of the recipe
   */
  constructor(programs: Readonly<Record<string, string>>, place: (text: string) => string) {
    this.#place = place;
    for (const folder of ['bin', 'temp', 'checkout/gateway']) {
      mkdirSync(join(this.#root, folder), { recursive: true });
    }
    for (const [name, script] of Object.entries({ npx: NPX, ...programs })) {
      writeFileSync(join(this.#root, 'bin', name), script, { mode: 0o755 });
    }
    for (const [name, content] of Object.entries(CLIENT)) writeFileSync(this.file(name), content);
    const configuration = this.recipe('github-actions/nginx.conf');
    const writable = configuration.replace('http {', `http { ${WRITABLE}`);
    writeFileSync(this.file('gateway/nginx.conf'), writable);
  }

  /** A file of the recipes, with what is in place of its ports and names. */
  recipe(name: string): string {
    return this.#place(readFileSync(join(RECIPES, name), 'utf8'));
  }

  /** The path of a file of the checkout. */
  file(name: string): string {
    return join(this.#root, 'checkout', name);
  }

  /** The path of a file beside the checkout; nginx has its process id in `temp/nginx.pid`. */
  beside(name: string): string {
    return join(this.#root, name);
  }

  /**
   * Runs a script of the pipeline.
   *
   * @param main the compiled main.js, which npx runs
   * @param flags of bash
   */
  async run(
    script: string,
    main: string,
    environment: Readonly<Record<string, string>>,
    flags: readonly string[] = ['-e'],
  ): Promise<ScriptRun> {
    const file = this.beside('script.sh');
    writeFileSync(file, script);
    const env = {
      ...process.env,
      PATH: [this.beside('bin'), PATH].join(delimiter),
      RUNNER_TEMP: this.beside('temp'),
      WIREBIN_NODE: process.execPath,
      WIREBIN_MAIN: main,
      ...environment,
    };
    const cwd = this.beside('checkout');
    const child = spawn('bash', [...flags, file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('exit', resolve).once('error', reject);
    });
    const output = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, output: output.join('') };
  }

  /** Ends nginx too. */
  close(): void {
    const pid = this.beside('temp/nginx.pid');
    if (existsSync(pid)) process.kill(Number(readFileSync(pid, 'utf8')));
    rmSync(this.#root, { recursive: true });
  }
}

/** Puts other ports in place of those of a recipe. */
export function withPorts(ports: ReadonlyMap<number, number>): (text: string) => string {
  return (written) =>
    written.replaceAll(/\b\d{4}\b/g, (port) => String(ports.get(Number(port)) ?? port));
}
