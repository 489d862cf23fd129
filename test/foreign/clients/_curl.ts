import { readFileSync } from 'node:fs';
import { isSecure, type Transport } from '../../_client.ts';
import { missing, run, type Origin } from './_origin.ts';

/** What curl reports about its last transfer (`--write-out '%{json}'`). */
interface Told {
  readonly http_code: number;
  readonly http_version: string;
  readonly num_connects: number;
  readonly num_redirects: number;
  readonly method: string;
  readonly url_effective: string;
}

export interface Answer extends Told {
  /** curl's exit code. */
  readonly code: number;
  readonly body: Buffer;
  /** The heads of all answers. */
  readonly head: string;
}

const VERSIONS = {
  'http/1.1': '--http1.1',
  'https/1.1': '--http1.1',
  h2c: '--http2-prior-knowledge',
  h2: '--http2',
} as const satisfies Record<Transport, string>;

/** Asks for the targets, one after the other. */
export async function curl(
  origin: Origin,
  transport: Transport,
  targets: string | readonly string[],
  ...args: readonly string[]
): Promise<Answer> {
  const base = origin.url(isSecure(transport));
  const heads = origin.file('heads');
  const trust = [VERSIONS[transport], '--cacert', origin.certificate];
  const telling = ['--silent', '--dump-header', heads, '--write-out', '%{stderr}%{json}\n'];
  const urls = [targets].flat().map((target) => base + target);
  const { code, stdout, stderr } = await run('curl', [...trust, ...telling, ...args, ...urls]);
  const told = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Told;
  return { ...told, code, body: stdout, head: readFileSync(heads, 'latin1') };
}

interface Build {
  /** `curl 7.88.1`, what it is for, and the versions of its libraries. */
  readonly version: string;
  /** The words of its list of features. */
  readonly features: ReadonlySet<string>;
}

/** The curl of this machine; undefined where there is none. */
export async function build(): Promise<Build | undefined> {
  if (missing('curl') !== undefined) return undefined;
  const { stdout } = await run('curl', ['--version']);
  const lines = stdout.toString().split('\n');
  const features = lines.find((line) => line.startsWith('Features: ')) ?? '';
  return { version: lines[0] ?? '', features: new Set(features.split(' ')) };
}
