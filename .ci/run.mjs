// .ci/run: see HELP. Needs Node and bash, and nothing that npm installs.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { runSteps } from './schedule.mjs';
import { startStep } from './step.mjs';
import { ALL, steps } from './steps.mjs';

const HELP = `.ci/run          runs every step
.ci/run STEP…    runs these steps, and those that they need
.ci/run --list   names the steps, with the seconds that each usually takes

It goes on after a step that failed, and tells at the end what failed, what was skipped and why. The last line is
'N passed, N failed, N skipped'. Ends with 1 if a step failed, and with 2 if there is no such step.

As root of a Debian it installs the programs that steps run, and with CI=true a step that lacks one of them fails.
Elsewhere, and where the network does not reach what is to be fetched, the step is skipped, or that part of it.
.ci/versions pins what is fetched.
`;

/** On a machine with one, steps that wait run side by side, too. */
const CORES = Math.max(2, availableParallelism());
/** A step that hangs must not take the time that the whole run may take. */
const limitOf = ({ seconds }) => 600 + 3 * seconds;

const NOT_BEGUN = { outcome: 'skipped', reason: 'the run was interrupted', remarks: [] };

const args = process.argv.slice(2);
if (args.includes('--help')) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (args.includes('--list')) {
  process.stdout.write(list());
  process.exit(0);
}
const unknown = args.find((arg) => !steps.some(({ name }) => name === arg));
if (unknown !== undefined) {
  console.error(`.ci/run: there is no step '${unknown}'; .ci/run --list names them`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'wirebin-ci-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
/** How to stop each step that runs. */
const stops = new Map();
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(name, () => {
    interrupted.abort();
    for (const stop of stops.values()) stop(`interrupted by ${name}`);
    process.exitCode = 128 + constants.signals[name];
  });
}

const chosen = args.length === 0 ? steps : withNeeds(args);
const results = await runSteps(chosen, {
  cores: CORES,
  installs: installsPrograms(),
  execute,
  signal: interrupted.signal,
});
const isGreen = close();
process.exitCode ??= isGreen ? 0 : 1;

function list() {
  const width = Math.max(...steps.map(({ name }) => name.length));
  return steps
    .map(
      ({ name, seconds, title }) =>
        `${name.padEnd(width)} ${String(seconds).padStart(4)} s  ${title}\n`,
    )
    .join('');
}

/** The named steps with all that they need or want, in order. What npm has installed already need not be again. */
function withNeeds(names) {
  const all = new Set(names);
  for (const { name, needs = [], wants = [] } of steps.toReversed()) {
    if (all.has(name)) for (const other of [...needs, ...wants]) all.add(other);
  }
  if (!names.includes('install') && isInstalled()) all.delete('install');
  return steps.filter(({ name }) => all.has(name));
}

/** Whether each package of the lock file is there, but for those of other systems. */
function isInstalled() {
  try {
    const found = packagesOf('../node_modules/.package-lock.json');
    return Object.entries(packagesOf('../package-lock.json')).every(
      ([path, { version, optional }]) =>
        path === '' || found[path]?.version === version || (optional && !found[path]),
    );
  } catch {
    return false;
  }
}

function packagesOf(file) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')).packages;
}

/** Whether the step `debian` installs what is missing, and so nothing may be missing. */
function installsPrograms() {
  if (process.env.CI !== 'true' || process.getuid?.() !== 0) return false;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => existsSync(join(folder, 'apt-get')));
}

/** Runs a step. What it writes is told as a whole when it has ended, unless it runs alone. */
async function execute(step) {
  const title = `== ${step.name}: ${step.title}`;
  const untold = [];
  const isAlone = step.cores === ALL;
  console.log(isAlone ? title : `== ${step.name} begins`);
  const { ended, stop } = startStep(step, {
    environment: { ...process.env, WIREBIN_CI_SCRATCH: scratch },
    limit: limitOf(step),
    onOutput: (text) => (isAlone ? process.stdout.write(text) : untold.push(text)),
  });
  stops.set(step.name, stop);
  const result = await ended;
  stops.delete(step.name);
  if (!isAlone) process.stdout.write(`${title}\n${untold.join('')}`);
  console.log(`== ${step.name}: ${result.seconds.toFixed(0)} s`);
  return result;
}

/** Tells everything that did not just pass. @returns whether nothing failed */
function close() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const lines = [];
  for (const { name } of chosen) {
    const { outcome, reason, remarks, ending } = results.get(name) ?? NOT_BEGUN;
    counts[outcome]++;
    // Those who have only the end of the output see why, too.
    if (ending !== undefined) console.log(`\n== ${name} ended with\n${ending}`);
    if (reason) lines.push(`${outcome}: ${name}: ${reason}`);
    for (const remark of remarks) lines.push(`${name}: ${remark}`);
  }
  console.log(['', ...lines].join('\n'));
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0;
}
