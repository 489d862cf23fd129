import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startedOrigin } from './clients/_origin.ts';
import { withHttpbin } from './_httpbin.ts';
import { python, type Python } from './_python.ts';
import { clone } from './_repository.ts';
import { namesOf, outputOf, type Outcome, type Outcomes } from './_suite.ts';

const REPOSITORY = 'https://github.com/MarketSquare/robotframework-requests';
const COMMIT = '19c9017';

/** Its acceptance tests, which its package leaves out, below the directory of the interpreter. */
async function prepare(): Promise<string | Python> {
  const packages = ['robotframework==7.3.2', 'robotframework-requests==0.9.7', 'httpbin==0.10.4'];
  const environment = await python('robot', ({ pip }) => pip('install', ...packages));
  if (typeof environment === 'string') return environment;
  try {
    await clone(REPOSITORY, COMMIT, 'atests', join(environment.directory, 'source'));
    return environment;
  } catch (error) {
    return `it needs git and ${REPOSITORY} (${String(error)})`;
  }
}

const RESULT = /<test [^>]*name="([^"]*)"[^]*?<\/test>/g;
const LAST_STATUS = /<status status="(\w+)"[^<]*(?:<\/status>)?\s*<\/test>$/;
const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ['PASS', 'passed'],
  ['FAIL', 'failed'],
  ['SKIP', 'skipped'],
]);

/** What Robot Framework says of the tests, run against a service. */
async function outcomesOf({ program, directory }: Python, url: string): Promise<Outcomes> {
  const atests = join(directory, 'source/atests');
  // It starts a server of its own, whose place the service takes.
  writeFileSync(`${atests}/http_server/run.sh`, '#!/bin/sh\nexec sleep 300\n', { mode: 0o755 });
  const output = join(directory, 'output.xml');
  const quiet = ['--log', 'NONE', '--report', 'NONE', '--console', 'none', '--output', output];
  const words = ['-m', 'robot', '--variable', `HTTP_LOCAL_SERVER:${url}`, ...quiet, atests];
  // It ends with the number of failed tests.
  await outputOf({ program, arguments: ['-c', RUN, program, ...words] });
  const outcomes = new Map<string, Outcome>();
  for (const [test_, name = ''] of readFileSync(output, 'utf8').matchAll(RESULT)) {
    const [, status = ''] = LAST_STATUS.exec(test_) ?? [];
    const outcome = OUTCOMES.get(status);
    if (outcome) outcomes.set(name, outcome);
  }
  return outcomes;
}

/** Ends with 0 whatever the program ends with. */
const RUN = 'import subprocess, sys; subprocess.run(sys.argv[1:])';

const origin = startedOrigin('--dialect=httpbin');

test('robotframework-requests passes what it passes against httpbin', async ({ skip }) => {
  const prepared = await prepare();
  if (typeof prepared === 'string') return skip(`not run: ${prepared}`);
  await withHttpbin(prepared.program, async (port) => {
    const theirs = await outcomesOf(prepared, `http://127.0.0.1:${port}`);
    const ours = await outcomesOf(prepared, origin().url(false));
    const [there, here] = [theirs, ours].map((outcomes) => namesOf(outcomes, 'passed'));
    console.log(`robotframework-requests: ${there?.length} against httpbin, ${here?.length} here`);
    expect(there?.length).toBeGreaterThan(100);
    expect(namesOf(ours, 'failed').filter((name) => theirs.get(name) === 'passed')).toEqual([]);
  });
});
