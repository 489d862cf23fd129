import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findProgram } from '../../bench/processes.ts';
import { startedOrigin } from './clients/_origin.ts';
import { outputOf } from './_suite.ts';

const MODULE = 'go.k6.io/k6';
const VERSION = 'v1.8.1';
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/foreign/k6', import.meta.url));

/** The examples of k6 that request httpbin.org, with the number of their checks. */
const EXAMPLES = [
  ['http_verbs', 10],
  ['http_basic_auth', 6],
  ['http_digest_auth', 3],
  ['cookies', 26],
  ['redirects', 3],
  ['html_form_post', 6],
  ['json', 2],
  ['tls_skip_cert_verification', 1],
  ['es6sample', 4],
] as const;

/** @returns the program and the directory of its examples, or what is missing, in words for a person */
async function prepare(): Promise<string | { program: string; examples: string }> {
  const go = findProgram('go');
  if (go === undefined) return 'it needs Go and a module proxy';
  mkdirSync(CACHE, { recursive: true });
  const program = join(CACHE, 'k6');
  const environment = { GOBIN: CACHE };
  try {
    const words = ['mod', 'download', '-json', `${MODULE}@${VERSION}`];
    const { Dir } = JSON.parse(await outputOf({ program: go, arguments: words })) as {
      readonly Dir: string;
    };
    const install = ['install', `${MODULE}@${VERSION}`];
    if (!existsSync(program)) await outputOf({ program: go, arguments: install, environment });
    return { program, examples: join(Dir, 'examples') };
  } catch (error) {
    return `it needs Go and a module proxy (${String(error)})`;
  }
}

const origin = startedOrigin('--dialect=httpbin');

test.for(EXAMPLES)("k6's example %s", async ([name, checks], { skip }) => {
  const prepared = await prepare();
  if (typeof prepared === 'string') return skip(`not run: ${prepared}`);
  const { host } = new URL(origin().url(false));
  const [config, summary] = [origin().file('k6.json'), origin().file('summary.json')];
  const hosts = { 'httpbin.org:80': host, 'httpbin.org:443': host };
  writeFileSync(config, JSON.stringify({ hosts, insecureSkipTLSVerify: true }));
  const once = ['-u', '1', '-i', '1', '-c', config, '--summary-export', summary];
  const script = join(prepared.examples, `${name}.js`);
  const words = ['run', '--quiet', '--no-usage-report', ...once, script];
  await outputOf({ program: prepared.program, arguments: words });
  const { metrics } = JSON.parse(readFileSync(summary, 'utf8')) as {
    readonly metrics: { readonly checks: object };
  };
  expect(metrics.checks).toMatchObject({ passes: checks, fails: 0 });
});
