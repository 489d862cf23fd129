import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

type Options = NonNullable<TestProjectInlineConfiguration['test']>;

const TIMING = 'test/**/*.timing.test.ts';
/**
 * Gateways with one fault each, which the checks find. `npm test` has only test/check/sample.test.ts of them: most of
 * their time is waiting for time limits of checks.
 */
const CATALOGUE = 'test/check/catalogue/*.test.ts';
const PROCESSES = [
  'test/main*.test.ts',
  'test/package.test.ts',
  'test/cluster/{losses,processes}.test.ts',
];

/** A warning, a stray error or a handle that a file leaves open fails the run. */
const SETUP = ['test/_setup.ts'];
const COMPILED = 'test/_compiled.ts';
const BROWSER = 'test/_browser.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Whether `npm test` counts its coverage. It is not held to the thresholds, to which `test:coverage` always is. */
const COUNTS = process.env['WIREBIN_TEST_COVERAGE'] === '1' && !process.argv.includes('--coverage');
/** A checkout whose `npm test` has counted: scripts/coverage-provider.mjs adds it. What ran there is left out here. */
const COVERED = process.env['WIREBIN_TEST_COVERED'];
/** Imported by test files that have more to run with whole tables, or with programs that `npm test` does not need. */
const LARGER = /\/_(?:whole|programs)\.ts'/;

/** Test files that have no more to run than in `npm test`. */
function sameEverywhere(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && !LARGER.test(readFileSync(path, 'utf8')));
}

const DONE = COVERED === undefined ? [] : sameEverywhere();

/** What the default projects have in common. */
const TESTS: Options = {
  // No test is held to a time here: what hangs ends.
  testTimeout: MINUTE,
  hookTimeout: MINUTE,
  // A second by default, which a busy machine may need for anything.
  expect: { poll: { timeout: 30_000 } },
  setupFiles: SETUP,
  // To load the service for each file anew would take half of the time.
  isolate: false,
  // Twice as many as the cores of a small machine, since most files wait for timers and processes. With all tables three
  // times as many: those of wrong gateways wait longer.
  maxWorkers: process.env['WIREBIN_TEST_WHOLE'] === '1' ? 6 : 4,
};

/** The projects that run by default. */
const tests: Readonly<Record<string, Options>> = {
  tests: {
    include: ['test/**/*.test.ts'],
    exclude: [TIMING, CATALOGUE, ...PROCESSES, ...DONE],
    globalSetup: BROWSER,
  },
  processes: {
    // Most of them end what they have started by a signal, which Windows does not have.
    include: process.platform === 'win32' ? [] : PROCESSES,
    exclude: DONE,
    globalSetup: COMPILED,
    // On a busy machine each process takes its time to start.
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
    expect: { poll: { timeout: MINUTE } },
  },
  catalogue: {
    include: [CATALOGUE],
    // Some wait for ten seconds of time limits, and a gateway is asked by many checks.
    testTimeout: 5 * MINUTE,
    hookTimeout: 5 * MINUTE,
  },
  timing: {
    include: [TIMING],
    // They hold the service to its time limits, on machines that others use too: what fails
    // twice is a fault, and what passes at the second try is told and counted (test/_retried.ts).
    retry: 1,
    // Last, and more at once, since most of their time is waiting for a limit to run out.
    sequence: { groupOrder: 2 },
    maxWorkers: 6,
  },
};

const FRAMES = 'test/fuzz/frames.fuzz.ts';
const isOfFrames = Number(process.env['WIREBIN_FUZZ_MINUTES'] ?? 0) > 0;

/** Suites that take minutes, or programs of others: `npm run test:NAME`. Each file has a process of its own. */
const suites: Readonly<Record<string, Options>> = {
  // Every check through every proxy of the tests, right and wrong, which takes minutes.
  check: {
    include: ['test/check/*.check.ts'],
    testTimeout: 5 * MINUTE,
    setupFiles: SETUP,
    // Checks wait half of the time.
    maxWorkers: 5,
  },
  // What is served, with HTTP/2 by wirebin's own frames.
  engine: {
    ...TESTS,
    include: ['conformance', 'endpoints', 'grpc', 'protocols', 'server', 'service'].map(
      (folder) => `test/${folder}/**/*.test.ts`,
    ),
    // What has no HTTP/2.
    exclude: [TIMING, 'test/protocols/http1/**', 'test/**/largest.test.ts'],
    globalSetup: BROWSER,
    env: { WIREBIN_TEST_H2_ENGINE: 'wirebin', WIREBIN_TEST_WHOLE: '' },
  },
  // Every command of README and docs, which needs curl and others.
  commands: {
    include: ['test/commands/*.commands.ts'],
    globalSetup: COMPILED,
    testTimeout: 10 * MINUTE,
    hookTimeout: 10 * MINUTE,
  },
  // Requests of HTTP/1.x for wirebin and for readers of others, of which it says which are missing; frames of HTTP/2 for
  // both of its engines.
  differential: {
    include: ['test/fuzz/*/*.differential.ts'],
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
    setupFiles: SETUP,
  },
  // The suites and the clients of others, which are fetched for it where they are not there: see test/foreign/README.md.
  foreign: {
    include: ['test/foreign/**/*.foreign.ts'],
    globalSetup: COMPILED,
    testTimeout: 10 * MINUTE,
    hookTimeout: 10 * MINUTE,
    fileParallelism: false,
  },
  // Run by test/fuzz/run.mjs, which says how many inputs and with which seed.
  fuzz: {
    include: isOfFrames ? [FRAMES] : ['test/fuzz/*.fuzz.ts'],
    exclude: isOfFrames ? [] : [FRAMES],
    globalSetup: COMPILED,
    testTimeout: DAY,
    hookTimeout: DAY,
    fileParallelism: false,
  },
  // Attacks on a running service, one after the other: they measure what honest clients feel.
  hostile: {
    include: ['test/hostile/*.hostile.ts'],
    globalSetup: COMPILED,
    testTimeout: 2 * MINUTE,
    hookTimeout: MINUTE,
    fileParallelism: false,
  },
  // 100,000 blocks and their decoding by another program.
  hpack: { include: ['test/wire/http2/*.hpack.ts'], testTimeout: 10 * MINUTE },
  // `wirebin check` against the proxies that are installed, beside the verdicts in docs/proxies/.
  known: {
    include: ['test/known/*.known.ts'],
    globalSetup: COMPILED,
    // Two runs of all checks, on a machine with other work too.
    testTimeout: 15 * MINUTE,
    // All of .ci/run at once: checks wait most of their time.
    maxConcurrency: 6,
  },
  // deploy/, read by Kustomize, Helm and the schemas of Kubernetes; it says which of them are missing.
  kubernetes: {
    include: ['test/kubernetes/*.kubernetes.ts'],
    testTimeout: MINUTE,
    hookTimeout: MINUTE,
  },
  // Tests that need the machine to themselves: they measure.
  load: { include: ['test/**/*.load.ts'], testTimeout: 2 * MINUTE, fileParallelism: false },
  // The page at `/` in Chromium.
  page: {
    include: ['test/page/*.page.ts'],
    globalSetup: BROWSER,
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
    setupFiles: SETUP,
    isolate: false,
  },
  // Wireshark reads what wirebin captured. It has to be installed.
  pcap: { include: ['test/pcap/*.pcap.ts'], testTimeout: MINUTE, setupFiles: SETUP },
  // Tests through real proxies, which have to be installed.
  proxies: { include: ['test/proxies/*.proxy.ts'], testTimeout: 30_000, setupFiles: SETUP },
  // Framings through the proxies that are installed; it says which are missing.
  smuggling: {
    include: ['test/proxies/smuggling/*.smuggling.ts'],
    testTimeout: 2 * MINUTE,
    setupFiles: SETUP,
    // Most of the time is waiting for proxies that wait.
    sequence: { concurrent: true },
  },
  // The recipes of docs/recipes/ whose proxies are installed; the others are skipped, by name.
  recipes: {
    include: ['test/recipes/*.recipe.ts'],
    globalSetup: COMPILED,
    testTimeout: 30_000,
    setupFiles: SETUP,
  },
  // Every byte between clients, proxies and wirebin, beside what --inspect says of them.
  recorder: {
    include: ['test/inspect/recorder/*.recorder.ts'],
    testTimeout: 10 * MINUTE,
    hookTimeout: MINUTE,
    setupFiles: SETUP,
    fileParallelism: false,
  },
};

/** A suite is a project only where it is named: `vitest` by itself, or with the path of a folder, runs none. */
const named = Object.entries(suites).filter(([name]) => process.argv.includes(`--project=${name}`));

/**
 * Begins with the tables of wrong gateways. vitest takes large files first, and these are small and take long: the
 * others would wait for them at the end.
 */
class TablesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return [...bySize.filter(isTable), ...bySize.filter((file) => !isTable(file))];
  }
}

function isTable({ moduleId }: TestSpecification): boolean {
  return /^(?:wrong-|sample\.)/.test(basename(moduleId));
}

export default defineConfig({
  test: {
    sequence: { sequencer: TablesFirst },
    reporters: ['default', './test/_retried.ts'],
    // Each project transforms the sources for itself; what the first has done the others reuse.
    experimental: { fsModuleCache: true },
    projects: [
      ...Object.entries(tests).map(([name, test]) => ({ test: { name, ...TESTS, ...test } })),
      ...named.map(([name, test]) => ({ test: { name, ...test } })),
    ],
    coverage: {
      enabled: COUNTS,
      // vitest's v8 provider, and the processes that tests start.
      provider: 'custom',
      customProviderModule: './scripts/coverage-provider.mjs',
      include: ['src/**/*.ts'],
      // Run by Chromium, in `npm run test:page`.
      exclude: ['src/browser/*.ts'],
      reporter: ['json-summary', 'json'],
      // A test that fails does so by itself.
      reportOnFailure: true,
      ...(!COUNTS && { thresholds: { lines: 98.5, branches: 91.5 } }),
    },
  },
});
