import { fileURLToPath } from 'node:url';
import { python } from './_python.ts';
import { outputOf, runSuite, toldOutcomes, type Command } from './_suite.ts';

const VERSION = '0.10.2';
const HERE = fileURLToPath(new URL('./python', import.meta.url));

/**
 * Its tests come as a file of the package's source, and are run by an interpreter of their own, with
 * a client of ours in the place of httpbin's application: that is neither needed nor installed.
 */
async function prepare(): Promise<string | Command> {
  const environment = await python('httpbin', async ({ pip, directory }) => {
    await pip('install', 'httpx[http2]==0.28.1', 'werkzeug==3.1.9');
    const source = ['--no-deps', '--no-binary', ':all:', `httpbin==${VERSION}`];
    await pip('download', ...source, '--dest', directory);
    const archive = `${directory}/httpbin-${VERSION}.tar.gz`;
    await outputOf({ program: 'tar', arguments: ['xzf', archive, '-C', directory] });
  });
  if (typeof environment === 'string') return environment;
  return {
    program: environment.program,
    arguments: [
      `${HERE}/run.py`,
      `${environment.directory}/httpbin-${VERSION}/tests/test_httpbin.py`,
    ],
    environment: { PYTHONPATH: HERE, PYTHONWARNINGS: 'ignore' },
  };
}

runSuite({ name: 'httpbin', settings: { dialect: 'httpbin' }, prepare, outcomes: toldOutcomes });
