// .ci/run itself; a step of it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { judge, runSteps } from './schedule.mjs';
import { startStep } from './step.mjs';
import { ALL, steps } from './steps.mjs';

const RUN = fileURLToPath(new URL('run', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'wirebin-ci-test-'));
after(() => rmSync(folder, { recursive: true }));

const ended = (status, output = '') => ({ status, seconds: 1, output });

/** Runs commands of bash as steps. @returns the results by name */
function runAll(all, { cores = 2, installs = false, limit = 60 } = {}) {
  const environment = { ...process.env, WIREBIN_CI_SCRATCH: folder };
  const execute = (step) => startStep(step, { environment, limit, onOutput() {} }).ended;
  return runSteps(all, { cores, installs, execute });
}

/** A step that installs, and one that needs a program of it. */
const installing = (install) => [
  { name: 'install', run: install },
  { name: 'step', run: 'need no-such-program', wants: ['install'] },
];

/** A step that fetches what its name says, and fails with a message. */
const fetching = (name, message) => ({
  name,
  run: `fails() { echo '${message}'; return 1; }; fetched ${name} fails || exit 77`,
});

const outcomes = (results) =>
  Object.fromEntries([...results].map(([name, { outcome }]) => [name, outcome]));

test('a step passes, fails, or is skipped with its reason', async () => {
  const results = await runAll([
    { name: 'good', run: 'true' },
    { name: 'bad', run: 'false; true' },
    { name: 'not here', run: 'skip "the reason"' },
    { name: 'programs', run: 'need no-such-program; false' },
  ]);
  assert.deepEqual(outcomes(results), {
    good: 'passed',
    bad: 'failed',
    'not here': 'skipped',
    programs: 'skipped',
  });
  assert.equal(results.get('bad').reason, 'exit status 1');
  assert.equal(results.get('not here').reason, 'the reason');
  assert.equal(results.get('programs').reason, 'no-such-program is missing');
});

test('what is skipped of a step that passes is told, and what is to be known', () => {
  const output = '\u001B[22mNOT TESTED: Envoy\u001B[39m\nNOTE: 2 retries\na NOTE: of no account\n';
  assert.deepEqual(judge(ended(0, output), true), {
    outcome: 'passed',
    remarks: ['not tested: Envoy', '2 retries'],
  });
});

test('the end of the output of a step that failed is told', () => {
  const output = Array.from({ length: 1000 }, (_, line) => `line ${line}\n`).join('');
  const { ending } = judge(ended(1, output), true);
  assert.match(ending, /^line 950\n.*\nline 999$/s);
  assert.equal(judge(ended(0, output), true).ending, undefined);
});

test('a program that was to be installed may not be missing', async () => {
  assert.equal(judge(ended(0, 'MISSING: zsh\n'), false).outcome, 'passed');
  assert.equal(judge(ended(0, 'MISSING: zsh\n'), true).outcome, 'failed');
  assert.equal(judge(ended(77, 'MISSING: zsh\n'), true).outcome, 'failed');
  assert.equal(judge(ended(77, 'NOT TESTED: not reached\n'), true).outcome, 'skipped');
  const installs = true;
  assert.equal((await runAll(installing('true'), { installs })).get('step').outcome, 'failed');
  // As where the network does not reach what would be installed.
  assert.equal((await runAll(installing('skip no'), { installs })).get('step').outcome, 'skipped');
});

test('what cannot be fetched is not tested if the network does not reach it, and missing otherwise', async () => {
  const results = await runAll([
    fetching('unreachable', 'fatal: Could not resolve host: example.com'),
    fetching('gone', 'ERROR: No matching distribution found for gone==1.0'),
  ]);
  assert.match(
    results.get('unreachable').reason,
    /^unreachable cannot be fetched here \(Could not resolve host: example.com\)$/,
  );
  assert.equal(results.get('gone').reason, 'gone is missing');
});

test('without what it needs a step is skipped, and the others run', async () => {
  const results = await runAll([
    { name: 'build', run: 'exit 3' },
    { name: 'tests', run: 'true', needs: ['build'] },
    { name: 'lint', run: 'true' },
  ]);
  assert.deepEqual(outcomes(results), { build: 'failed', tests: 'skipped', lint: 'passed' });
  assert.equal(results.get('tests').reason, 'it needs build, which failed');
});

test('steps run side by side as the cores allow', async () => {
  const running = new Set();
  const seen = [];
  const execute = async ({ name }) => {
    running.add(name);
    seen.push([...running].join('+'));
    await new Promise(setImmediate);
    running.delete(name);
    return ended(0);
  };
  const all = [
    { name: 'one', cores: 1 },
    { name: 'alone', cores: ALL },
    { name: 'half', cores: 0.5 },
    { name: 'other', cores: 0.5 },
    { name: 'last', cores: 1 },
  ];
  const results = await runSteps(all, { cores: 2, installs: false, execute });
  assert.deepEqual(seen.slice(0, 3), ['one', 'one+half', 'one+half+other']);
  assert.ok(seen.includes('alone'), seen.join(', '));
  assert.equal(results.size, all.length);
});

test('nothing of a step outlives it, and one that takes too long has failed', async () => {
  const file = join(folder, 'alive');
  const left = `(trap '' TERM; sleep 60; touch ${file}) & echo $! >${folder}/pid`;
  const results = await runAll(
    [
      { name: 'leaves', run: left },
      { name: 'hangs', run: `${left}; wait` },
    ],
    { limit: 0.5 },
  );
  assert.deepEqual(outcomes(results), { leaves: 'passed', hangs: 'failed' });
  assert.equal(results.get('hangs').reason, 'took longer than 0.5 s');
  const pid = String(spawnSync('cat', [join(folder, 'pid')]).stdout).trim();
  assert.ok(!existsSync(`/proc/${pid}/exe`) || process.platform !== 'linux');
});

test('every step names only steps before it, and what it runs is there', () => {
  const before = new Set();
  for (const { name, title, seconds, run, needs = [], wants = [] } of steps) {
    assert.match(name, /^[a-z][a-z\d-]*$/);
    assert.ok(title.length > 0 && seconds > 0, name);
    for (const other of [...needs, ...wants]) assert.ok(before.has(other), `${name}: ${other}`);
    assert.ok(!before.has(name), `${name} is there twice`);
    before.add(name);
    const word = run.split(' ').find((each) => !each.includes('='));
    const options = {
      cwd: join(RUN, '../..'),
      env: { ...process.env, WIREBIN_CI_SCRATCH: folder },
    };
    const { status } = spawnSync('bash', ['-c', `. .ci/steps.sh; type ${word}`], options);
    assert.equal(status, 0, `${name}: ${word}`);
  }
});

test('the tests that steps choose are there', () => {
  const all =
    'for file in "${ON_NODE[@]/#/test/}" "${BY_CPU[@]/#/test/hostile/}"; do echo "$file"* ; done';
  const options = { cwd: join(RUN, '../..'), env: { ...process.env, WIREBIN_CI_SCRATCH: folder } };
  const { stdout } = spawnSync('bash', ['-c', `. .ci/steps.sh; ${all}`], options);
  const found = String(stdout).trim().split('\n');
  assert.ok(found.length > 10);
  for (const file of found) assert.doesNotMatch(file, /\*/);
});

/** Runs .ci/run where there are few programs. `dpkg` says that all packages are installed. */
function ciRun(args, variables = {}) {
  const path = join(folder, 'path');
  if (!existsSync(path)) {
    spawnSync('mkdir', [path]);
    for (const program of ['bash', 'dirname', 'id', 'mkdir', 'node']) {
      const found = spawnSync('bash', ['-c', `type -P ${program}`], { encoding: 'utf8' });
      symlinkSync(found.stdout.trim(), join(path, program));
    }
    for (const program of ['apt-get', 'dpkg']) {
      writeFileSync(join(path, program), '#!/bin/sh\n', { mode: 0o755 });
    }
  }
  const env = { ...process.env, PATH: path, HOME: folder, CI: '', ...variables };
  const { status, stdout, stderr } = spawnSync('bash', [RUN, ...args], { env, encoding: 'utf8' });
  return { status, stderr, stdout, lines: stdout.trimEnd().split('\n') };
}

test('the last line counts, and before it each skipped step has its reason', () => {
  const { status, lines } = ciRun(['unit', 'licences']);
  assert.deepEqual(lines.slice(-2), [
    'skipped: unit: systemd-analyze is missing',
    '2 passed, 0 failed, 1 skipped',
  ]);
  assert.equal(status, 0);
});

test('with CI=true, as root, what is missing is a failure', (context) => {
  if (process.getuid?.() !== 0) return context.skip('only root installs packages');
  const { status, lines } = ciRun(['unit', 'licences'], { CI: 'true' });
  assert.deepEqual(lines.slice(-2), [
    'failed: unit: systemd-analyze is missing, and was to be installed',
    '2 passed, 1 failed, 0 skipped',
  ]);
  assert.ok(lines.includes('== unit ended with'));
  assert.equal(status, 1);
});

test('it lists the steps, and knows no others', () => {
  const { status, lines } = ciRun(['--list']);
  assert.equal(status, 0);
  assert.equal(lines.length, steps.length);
  assert.match(lines.join('\n'), /^captures +\d+ s {2}captures, read by Wireshark$/m);
  const unknown = ciRun(['unit', 'nonsense']);
  assert.equal(unknown.status, 2);
  assert.equal(unknown.stderr, ".ci/run: there is no step 'nonsense'; .ci/run --list names them\n");
});

test('an interrupt ends everything', async () => {
  const child = spawn('bash', [RUN, 'readme'], {
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  assert.deepEqual(await closed, [130, null]);
  assert.match(output, /\n0 passed, 1 failed, 0 skipped\n$/);
});
