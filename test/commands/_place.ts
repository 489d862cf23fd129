import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issue } from '../_certificates.ts';
import { Running, withoutSettings } from '../_process.ts';
import { pages, ROOT } from './_blocks.ts';
import { ENVIRONMENT, FILES, REPORTS, standIns } from './_tables.ts';

/** Hosts that stand for proxies of the reader. */
const HOSTS = [...new Set(pages.flatMap(({ text }) => text.match(/[a-z\d.]+\.example\b/g) ?? []))];

/** Where curl connects to for them, and for a service. */
const ORIGINS = ['localhost:8080', '10.0.0.5:8080', '10.0.0.7:8080'];

export interface Outcome {
  readonly code: number;
  readonly output: string;
}

/** A wirebin that runs, for the commands of a block. */
export interface Served {
  readonly port: number;
  stop(): Promise<void>;
}

/** A folder with a `wirebin` in its PATH, and what commands read. */
export class Place {
  readonly #folder: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #running = new Set<Running>();
  readonly #pages: Place[] = [];

  private constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#environment = environment;
  }

  /** @param main the program */
  static async create(folder: string, main: string): Promise<Place> {
    const pair = await issue('commands', { host: HOSTS });
    const [files, bin] = [join(folder, 'files'), join(folder, 'bin')];
    const [cert, key] = [join(files, 'cert.pem'), join(files, 'key.pem')];
    for (const each of [files, bin]) mkdirSync(each);
    writeFileSync(cert, pair.cert);
    writeFileSync(key, pair.key);
    const program = `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`;
    writeFileSync(join(bin, 'wirebin'), program, { mode: 0o755 });
    const place = new Place(files, {
      ...ENVIRONMENT,
      PATH: `${bin}:${process.env['PATH']}`,
      WIREBIN_TLS_CERT: cert,
      WIREBIN_TLS_KEY: key,
      CURL_CA_BUNDLE: cert,
      NODE_EXTRA_CA_CERTS: cert,
    });
    return place.#prepared();
  }

  async #prepared(): Promise<Place> {
    for (const name of ['docs', 'deploy']) symlinkSync(join(ROOT, name), join(this.#folder, name));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(this.#folder, name), text);
    for (const command of REPORTS) {
      const { code, output } = await this.run(command);
      if (code === 2 || code === 127) throw new Error(`${command}: ${output}`);
    }
    return this;
  }

  /** A place of its own for a page, whose commands write files. */
  of(name: string): Place {
    const folder = mkdtempSync(`${this.#folder}-${name}-`);
    cpSync(this.#folder, folder, { recursive: true, verbatimSymlinks: true });
    const page = new Place(folder, this.#environment);
    this.#pages.push(page);
    return page;
  }

  /** Runs a command by bash, curl as it is written, others with stand-ins. */
  async run(command: string, port = 0): Promise<Outcome> {
    const here = /\bcurl /.test(command) ? command : withStandIns(command, port);
    const running = this.#start(here, this.#curlFor(port));
    const code = await running.exit;
    return { code: Number(code), output: running.stdout + running.stderr };
  }

  /** Starts wirebin as a page does. @throws if it ends before it listens */
  async serve(command: string): Promise<Served> {
    const environment = { ...this.#environment, WIREBIN_PORT: '0' };
    const running = this.#start(`exec env ${withStandIns(command, 0)}`, environment);
    await running.listens();
    const stop = async (): Promise<void> => {
      running.child.kill('SIGTERM');
      const code = await running.exit;
      if (code !== 0) throw new Error(`it ended with ${code}: ${running.stderr}`);
    };
    return { port: running.port, stop };
  }

  /** Ends what still runs, with all that it has started. */
  end(): void {
    for (const { child } of this.#running) {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended just now.
      }
    }
    for (const page of this.#pages) page.end();
  }

  #start(command: string, env: NodeJS.ProcessEnv): Running {
    const options = withoutSettings({
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // With a group of its own.
      detached: true,
    });
    const running = new Running(spawn('bash', ['-o', 'pipefail', '-c', command], options));
    this.#running.add(running);
    running.child.once('exit', () => this.#running.delete(running));
    return running;
  }

  /** The environment of a command, whose curl connects to this port. */
  #curlFor(port: number): NodeJS.ProcessEnv {
    const home = join(this.#folder, `home-${port}`);
    mkdirSync(join(home, '.local/share/bash-completion/completions'), { recursive: true });
    mkdirSync(join(home, '.config/fish/completions'), { recursive: true });
    const origins = [...HOSTS.map((host) => `${host}:443`), ...ORIGINS];
    const lines = origins.map((origin) => `connect-to = "${origin}:localhost:${port}"`);
    const shown = [
      'silent',
      'show-error',
      'max-time = 100',
      String.raw`write-out = "%{stderr}\nstatus %{http_code}\n"`,
    ];
    writeFileSync(join(home, '.curlrc'), [...lines, ...shown].join('\n'));
    return { ...this.#environment, HOME: home };
  }
}

function withStandIns(command: string, port: number): string {
  return standIns(port).reduce((all, [written, here]) => all.replace(written, here), command);
}
