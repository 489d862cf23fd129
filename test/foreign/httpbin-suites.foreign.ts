import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startedOrigin } from './clients/_origin.ts';
import { python } from './_python.ts';
import { differences, namesOf, outputOf, toldOutcomes, type Outcomes } from './_suite.ts';

const SUITE = fileURLToPath(new URL('python/suite.py', import.meta.url));

/** The tests of a project that has its own run against httpbin. */
interface Project {
  readonly name: string;
  readonly version: string;
  /** What its tests need beside pytest, pytest-httpbin and httpbin. */
  readonly packages: readonly string[];
  /** Arguments of pytest, in the directory of its source. */
  readonly tests: readonly string[];
}

const PROJECTS: readonly Project[] = [
  {
    name: 'requests',
    version: '2.34.2',
    packages: ['PySocks', 'trustme', 'pytest-mock'],
    tests: ['tests/test_requests.py'],
  },
  {
    name: 'httpie',
    version: '3.2.4',
    packages: ['responses', 'pytest-mock'],
    // Those of plugins install packages.
    tests: ['tests', '--ignore=tests/test_plugins_cli.py'],
  },
  {
    name: 'vcrpy',
    version: '9.4.2',
    packages: ['requests', 'httpx', 'httplib2', 'aiohttp', 'tornado', 'pytest-asyncio', 'boto3'],
    tests: ['tests/integration', '-m', 'not online', '--continue-on-collection-errors'],
  },
  {
    name: 'requests-cache',
    version: '1.3.3',
    packages: ['requests-mock', 'psutil', 'tenacity', 'time-machine', 'rich', 'platformdirs'],
    tests: ['tests/integration/test_memory.py', 'tests/integration/test_sqlite.py'],
  },
  {
    name: 'treq',
    version: '26.7.0',
    packages: [],
    tests: ['--pyargs', 'treq.test.test_treq_integration'],
  },
];

/** Its source, below the directory of an interpreter that has what its tests need. */
async function prepare({ name, version, packages }: Project): Promise<string | string[]> {
  const pinned = `${name}==${version}`;
  const environment = await python(`suite-${name}`, async ({ pip, directory }) => {
    const common = ['pytest==8.4.2', 'pytest-httpbin==2.1.0', 'httpbin==0.10.4', 'setuptools'];
    await pip('install', pinned, ...common, ...packages);
    await pip('download', '--no-deps', '--no-binary', name, pinned, '--dest', directory);
    const archive = `${directory}/${name.replace('-', '_')}-${version}.tar.gz`;
    const options = ['--strip-components=1', '--one-top-level=source', '-C', directory];
    await outputOf({ program: 'tar', arguments: ['xzf', archive, ...options] });
  });
  return typeof environment === 'string'
    ? environment
    : [environment.program, `${environment.directory}/source`];
}

const origin = startedOrigin('--dialect=httpbin');

/** The outcomes of all its tests. @param environment where the service is; without one, they run against httpbin */
async function outcomesOf(
  { tests }: Project,
  [program = '', source = '']: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcomes> {
  const words = [SUITE, source, ...tests];
  return toldOutcomes(await outputOf({ program, arguments: words, environment }));
}

const passed = (outcomes: Outcomes): number => namesOf(outcomes, 'passed').length;

test.for(PROJECTS)(
  '$name $version passes what it passes against httpbin',
  async (project, { skip }) => {
    const prepared = await prepare(project);
    if (typeof prepared === 'string') return skip(`not run: ${prepared}`);
    const theirs = await outcomesOf(project, prepared);
    const ours = await outcomesOf(project, prepared, {
      FOREIGN_URL: origin().url(false),
      FOREIGN_SECURE_URL: origin().url(true),
      FOREIGN_CERTIFICATE: origin().certificate,
      HTTPBIN_URL: origin().url(false),
    });
    console.log(`${project.name}: ${passed(theirs)} passed against httpbin, ${passed(ours)} here`);
    expect(passed(theirs)).toBeGreaterThan(10);
    const failed = namesOf(ours, 'failed').filter((name) => theirs.get(name) === 'passed');
    expect(failed).toEqual(differences(project.name, 'http/1.1', ours));
  },
);
