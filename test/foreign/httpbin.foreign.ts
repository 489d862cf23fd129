import { existsSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { outputOf, runSuite, type Command, type Outcomes } from './_suite.ts';

const VERSION = '0.10.2';
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/foreign/httpbin', import.meta.url));
const PYTHON = `${CACHE}/bin/python`;
const TESTS = `${CACHE}/httpbin-${VERSION}/tests/test_httpbin.py`;

/**
 * Its tests come as a file of the package's source, and are run by an interpreter of their own, with
 * a client of ours in the place of httpbin's application: that is neither needed nor installed.
 */
async function prepare(): Promise<string | Command> {
  if (!existsSync(TESTS)) {
    try {
      mkdirSync(CACHE, { recursive: true });
      await outputOf({ program: 'python3', arguments: ['-m', 'venv', CACHE] });
      const pip = (...words: string[]): Promise<string> =>
        outputOf({ program: PYTHON, arguments: ['-m', 'pip', '--quiet', ...words] });
      await pip('install', 'httpx[http2]==0.28.1', 'werkzeug==3.1.9');
      const source = ['--no-deps', '--no-binary', ':all:', `httpbin==${VERSION}`];
      await pip('download', ...source, '--dest', CACHE);
      const archive = `${CACHE}/httpbin-${VERSION}.tar.gz`;
      await outputOf({ program: 'tar', arguments: ['xzf', archive, '-C', CACHE] });
    } catch (error) {
      return `it needs Python 3 with venv and pip, and a package registry (${String(error)})`;
    }
  }
  return {
    program: PYTHON,
    arguments: [`${HERE}python/run.py`, TESTS],
    environment: { PYTHONPATH: `${HERE}python`, PYTHONWARNINGS: 'ignore' },
  };
}

interface Told {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
}

function outcomes(output: string): Outcomes {
  const lines = output.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Told);
  return new Map(told.map(({ name, outcome }) => [name, outcome]));
}

runSuite({ name: 'httpbin', settings: { dialect: 'httpbin' }, prepare, outcomes });
