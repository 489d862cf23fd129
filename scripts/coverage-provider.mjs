// Counts the coverage of the tests and of the processes that they start: vitest's v8 provider, which also reads what
// Node has written for each process (NODE_V8_COVERAGE in test/_process.ts), and adds what `npm test` has counted in
// another checkout (WIREBIN_TEST_COVERED). Prints a table of the folders of src/.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Untyped, since the types of others would come along, for the linter to hold against all scripts.
const PROVIDER = '@vitest/coverage-v8';
const { default: v8 } = await import(PROVIDER);

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SOURCES = join(ROOT, 'src');

/** A compiled source in an installation of test/_process.ts. */
const INSTALLED = /\/wirebin-[^/]+\/dist\/(.+)\.js$/;

/** What processes run, beside vitest's environments: another compiler has made it. */
const COMPILED = 'compiled';

/** Processes whose reports are in memory at the same time, half a megabyte each. */
const TOGETHER = 50;

/** Where each line that no test reaches is printed. The others are read in coverage/coverage-final.json. */
const LISTED = /^(?:(?:net|server|protocols|cluster)\/|cli\/run\.ts$)/;

export default {
  ...v8,
  getProvider: async () => countingProcesses(await v8.getProvider()),
};

function countingProcesses(provider) {
  const { onAfterSuiteRun, generateCoverage, generateReports, transformFile, convertCoverage } =
    provider;
  /** Stands for all projects, which transform the sources alike: what they have run is converted at once. */
  let converting;
  const compiled = () => join(provider.coverageFilesDirectory, 'compiled');

  return Object.assign(provider, {
    onAfterSuiteRun({ projectName, testFiles, ...report }) {
      if (report.environment !== COMPILED) converting ??= projectName;
      const names = testFiles.map((file) => `${projectName} ${file}`);
      onAfterSuiteRun.call(provider, { ...report, projectName: converting, testFiles: names });
    },

    async generateCoverage(context) {
      // test/_compiled.ts names it to the processes.
      const folder = join(provider.coverageFilesDirectory, 'processes');
      const reports = existsSync(folder) ? readdirSync(folder) : [];
      if (reports.length > 0) compile(compiled());
      // Many at once, since each time all that came before is merged anew.
      for (let at = 0; at < reports.length; at += TOGETHER) {
        const names = reports.slice(at, at + TOGETHER);
        const coverage = { result: names.flatMap((name) => scriptsOf(join(folder, name))) };
        provider.onAfterSuiteRun({ coverage, environment: COMPILED, testFiles: names });
      }
      const map = await generateCoverage.call(provider, context);
      const covered = process.env['WIREBIN_TEST_COVERED'];
      if (covered !== undefined) map.merge(countedIn(covered));
      return map;
    },

    async transformFile(file, project, environment) {
      if (environment !== COMPILED) return transformFile.call(provider, file, project, environment);
      const path = join(compiled(), relative(SOURCES, file)).replace(/\.ts$/, '.js');
      const map = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
      return {
        code: readFileSync(path, 'utf8'),
        map: { ...map, sourceRoot: '', sources: [pathToFileURL(file).href] },
      };
    },

    async convertCoverage(coverage, project, environment) {
      const counted = await convertCoverage.call(provider, coverage, project, environment);
      if (environment !== COMPILED) return counted;
      const nothing = coverage.result.map((script) => ({ ...script, functions: [] }));
      const places = await convertCoverage.call(provider, { result: nothing }, project, 'ssr');
      for (const file of counted.files()) {
        const { data } = places.fileCoverageFor(file);
        for (const kind of KINDS) {
          if (moveHits(kind, counted.fileCoverageFor(file).data, data)) continue;
          provider.ctx.logger.error(`${file}: the compilers differ in the ${kind.places}`);
          process.exitCode = 1;
        }
      }
      return places;
    },

    async generateReports(map, allTestsRun) {
      await generateReports.call(provider, map, allTestsRun);
      // A part of the tests, which another run adds to its own.
      if (provider.options.thresholds === undefined) return;
      for (const line of tableOf(provider, map)) provider.ctx.logger.log(line);
      for (const line of uncoveredIn(map)) provider.ctx.logger.log(line);
    },
  });
}

/** As test/_compiled.ts does, with source maps: the code is the same. */
function compile(outDir) {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const maps = ['--sourceMap', '--inlineSources'];
  const options = ['-p', 'src/tsconfig.build.json', '--noCheck', ...maps, '--outDir', outDir];
  execFileSync(process.execPath, [compiler, ...options], { cwd: ROOT });
}

/** What one process has run of src/. */
function scriptsOf(report) {
  let scripts;
  try {
    scripts = JSON.parse(readFileSync(report, 'utf8')).result;
  } catch {
    // The process was killed while it wrote.
    return [];
  }
  return scripts.flatMap((script) => {
    const [, path] = INSTALLED.exec(script.url) ?? [];
    return path ? [{ ...script, url: pathToFileURL(join(SOURCES, `${path}.ts`)).href }] : [];
  });
}

/** What `npm test` has reached of the same sources in another checkout, by the paths of this one. */
function countedIn(checkout) {
  const report = readFileSync(join(checkout, 'coverage/coverage-final.json'), 'utf8');
  // The end of a line is a column that JSON does not have.
  const files = JSON.parse(report, (key, value) =>
    key === 'column' && value === null ? Infinity : value,
  );
  const root = realpathSync(checkout);
  const moved = Object.values(files).map((file) => {
    const path = join(ROOT, relative(root, file.path));
    return [path, { ...file, path }];
  });
  return Object.fromEntries(moved);
}

/** Statements, functions and branches in istanbul's format. */
const KINDS = [
  { counts: 's', places: 'statementMap' },
  { counts: 'f', places: 'fnMap' },
  { counts: 'b', places: 'branchMap' },
];

/**
 * Moves hits from a file as one compiler maps it to the same file as the other does. Their source maps differ in the
 * columns, so istanbul would count a statement twice. The order is the same.
 *
 * @returns whether both have as many statements, or branches
 */
function moveHits({ counts, places }, from, to) {
  const ids = Object.keys(from[places]);
  const targets = Object.keys(to[places]);
  if (ids.length !== targets.length) {
    // In vite's map, functions such as `() => () => 1` are one. Nothing is decided by how many there are.
    return counts === 'f';
  }
  for (const [at, id] of ids.entries()) {
    const target = targets[at];
    if (counts !== 'b') to[counts][target] += from[counts][id];
    else for (const [arm, count] of from.b[id].entries()) to.b[target][arm] += count;
  }
  return true;
}

/** Lines and branches of each folder of src/, and in all. */
function* tableOf(provider, map) {
  const rooms = new Map();
  for (const file of map.files()) {
    const [room, ...rest] = relative(SOURCES, file).split('/');
    const name = rest.length > 0 ? room : '(top)';
    if (!rooms.has(name)) rooms.set(name, provider.createCoverageMap());
    rooms.get(name).addFileCoverage(map.fileCoverageFor(file));
  }
  yield `${'room'.padEnd(12)}${'lines'.padStart(22)}${'branches'.padStart(22)}`;
  for (const [name, room] of [...[...rooms].toSorted(byName), ['all', map]]) {
    const { lines, branches } = room.getCoverageSummary();
    yield `${name.padEnd(12)}${shareOf(lines)}${shareOf(branches)}`;
  }
}

function shareOf({ covered, total, pct }) {
  return `${covered}/${total}`.padStart(13) + `${pct.toFixed(2)} %`.padStart(9);
}

function* uncoveredIn(map) {
  for (const file of map.files()) {
    const path = relative(SOURCES, file);
    const lines = LISTED.test(path) ? map.fileCoverageFor(file).getUncoveredLines() : [];
    if (lines.length > 0) yield `no test reaches src/${path}: ${lines.join(', ')}`;
  }
}

function byName([a], [b]) {
  return a < b ? -1 : 1;
}
