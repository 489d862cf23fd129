import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';

const FOLDER = 'docs/recipes/github-actions';

/** Debian keeps nginx where users' paths do not lead. */
const PATH = [process.env['PATH'], '/usr/sbin'].join(delimiter);

/** What is not installed of what the steps need. */
export function missingPrograms(): string[] {
  return ['nginx', 'openssl', 'curl', 'bash'].filter(
    (program) =>
      spawnSync('sh', ['-c', `command -v ${program}`], { env: { ...process.env, PATH } }).status !==
      0,
  );
}

interface Step {
  readonly name?: string;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A step of the workflow with `run`. */
export interface StepRun {
  readonly name: string;
  /** Undefined if its condition was false. */
  readonly code: number | null | undefined;
  /** What it wrote, standard error last. */
  readonly output: string;
}

interface Job {
  readonly services: { readonly wirebin: { readonly env: Readonly<Record<string, string>> } };
  readonly steps: readonly Step[];
}

/** What a runner of GitHub has as a container is a process here: nginx, with the folder that is mounted. */
const DOCKER = `#!/bin/sh
set -e
cd "$RUNNER_TEMP"
case $1 in
  run)
    for word; do
      case $word in *:/etc/nginx:ro) folder=\${word%:/etc/nginx:ro} ;; esac
    done
    if [ "$(id -u)" = 0 ]; then user='user root;'; fi
    exec nginx -p "$folder" -c nginx.conf -e "$PWD/error.log" -g "pid $PWD/nginx.pid; $user"
    ;;
  logs) exec cat error.log ;;
  *) exit 64 ;;
esac
`;

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

/** Runs the steps of the workflow in docs/recipes/github-actions/, in a folder of its own. */
export class Runner {
  readonly #root = mkdtempSync(join(tmpdir(), 'wirebin-runner-'));
  readonly #ports: ReadonlyMap<number, number>;
  readonly #job: Job;

  /** @param ports those to use in place of those of the workflow */
  constructor(ports: ReadonlyMap<number, number> = new Map()) {
    this.#ports = ports;
    this.#job = parse(this.#placed('gateway.yaml')).jobs.check;
    for (const folder of ['bin', 'temp', 'checkout/gateway']) {
      mkdirSync(join(this.#root, folder), { recursive: true });
    }
    const mode = 0o755;
    writeFileSync(join(this.#root, 'bin/docker'), DOCKER, { mode });
    writeFileSync(join(this.#root, 'bin/npx'), NPX, { mode });
    for (const [name, content] of Object.entries(CLIENT)) writeFileSync(this.file(name), content);
    const configuration = this.#placed('nginx.conf').replace('http {', `http { ${WRITABLE}`);
    writeFileSync(this.file('gateway/nginx.conf'), configuration);
  }

  /** The variables of the service container. */
  get serviceVariables(): Readonly<Record<string, string>> {
    return this.#job.services.wirebin.env;
  }

  /** The path of a file of the checkout. */
  file(name: string): string {
    return join(this.#root, 'checkout', name);
  }

  /** What the steps have added to the summary of the job. */
  get summary(): string {
    return readFileSync(join(this.#root, 'summary'), 'utf8');
  }

  /**
   * Runs the steps in their order.
   *
   * @param main the compiled main.js, which npx runs
   * @param variables more of them for each step
   */
  async run(
    main: string,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<readonly StepRun[]> {
    writeFileSync(join(this.#root, 'summary'), '');
    const environment = {
      ...process.env,
      PATH: [join(this.#root, 'bin'), PATH].join(delimiter),
      RUNNER_TEMP: join(this.#root, 'temp'),
      GITHUB_STEP_SUMMARY: join(this.#root, 'summary'),
      WIREBIN_NODE: process.execPath,
      WIREBIN_MAIN: main,
      ...variables,
    };
    const runs: StepRun[] = [];
    for (const { name = '', run, env, if: condition } of this.#job.steps) {
      if (run === undefined) continue;
      const hasFailed = runs.some(({ code }) => code !== undefined && code !== 0);
      runs.push(
        isMet(condition, hasFailed)
          ? { name, ...(await this.#shell(run, { ...environment, ...env })) }
          : { name, code: undefined, output: '' },
      );
    }
    return runs;
  }

  /** Ends nginx too. */
  close(): void {
    const pid = join(this.#root, 'temp/nginx.pid');
    if (existsSync(pid)) process.kill(Number(readFileSync(pid, 'utf8')));
    rmSync(this.#root, { recursive: true });
  }

  #placed(name: string): string {
    return readFileSync(join(FOLDER, name), 'utf8').replaceAll(/\b\d{4}\b/g, (port) =>
      String(this.#ports.get(Number(port)) ?? port),
    );
  }

  /** As GitHub does without `shell`. */
  async #shell(script: string, env: NodeJS.ProcessEnv): Promise<Omit<StepRun, 'name'>> {
    const file = join(this.#root, 'step.sh');
    writeFileSync(file, script);
    const cwd = join(this.#root, 'checkout');
    const child = spawn('bash', ['-e', file], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('exit', resolve).once('error', reject);
    });
    const output = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, output: output.join('') };
  }
}

function isMet(condition: string | undefined, hasFailed: boolean): boolean {
  switch (condition) {
    case undefined:
      return !hasFailed;
    case 'failure()':
      return hasFailed;
    default:
      throw new Error(`the condition '${condition}' is not known here`);
  }
}
