// npm run test:repeat -- [N] [FILE…]: runs the tests N times (default: 10) in shuffled order, beside two busy
// processes, and lists every file that failed. A run without a failure is no proof; thirty are a good sign.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');

const [count = '10', ...files] = process.argv.slice(2);
const runs = Number(count);
if (!Number.isInteger(runs) || runs < 1) {
  console.error(`the number of runs is a positive integer, not '${count}'`);
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'wirebin-repeat-'));
const busy = Array.from({ length: 2 }, () =>
  spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }),
);
// They run for as long as this process does.
for (const child of busy) child.unref();
// Also when the run is interrupted.
process.on('exit', () => {
  for (const child of busy) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

/** The files and errors outside of tests that made a run fail, each with its messages. */
const failures = new Map();
let failedRuns = 0;
for (let run = 1; run <= runs; run++) {
  const seed = run;
  const start = performance.now();
  const { code, output } = await runTests(seed);
  const failed = code === 0 ? [] : failuresOf(output);
  for (const [file, message] of failed) {
    failures.set(file, [...(failures.get(file) ?? []), `run ${run}, seed ${seed}: ${message}`]);
  }
  if (code !== 0) failedRuns++;
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  const red = [...new Set(failed.map(([file]) => file))].join(', ');
  console.log(
    `run ${run} of ${runs}, seed ${seed}: ${code === 0 ? 'green' : `RED in ${red}`}, ${seconds} s`,
  );
  // At once: who sees why need not wait for the other runs.
  for (const [file, message] of failed) console.log(`  ${file}: ${message}`);
}

for (const [file, messages] of failures) {
  console.log(
    `\n${file}: red in ${new Set(messages.map((text) => text.split(',', 1)[0])).size} of ${runs}`,
  );
  for (const message of messages) console.log(`  ${message}`);
}
console.log(`${runs - failedRuns} of ${runs} green`);
process.exitCode = failedRuns === 0 ? 0 : 1;

/** @returns the exit code, and what vitest wrote */
function runTests(seed) {
  const report = join(scratch, 'report.json');
  rmSync(report, { force: true });
  const args = [
    'run',
    '--project=tests',
    '--project=processes',
    '--reporter=dot',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  args.push(
    '--sequence.shuffle.files',
    '--sequence.shuffle.tests',
    `--sequence.seed=${seed}`,
    ...files,
  );
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
}

/** The name of each file that failed, with its first line of each message. */
function failuresOf(output) {
  const found = [];
  try {
    const { testResults } = JSON.parse(readFileSync(join(scratch, 'report.json'), 'utf8'));
    for (const { name, status, message, assertionResults } of testResults) {
      const file = relative(root, name);
      const failed = assertionResults.filter((test) => test.status === 'failed');
      for (const { fullName, failureMessages } of failed) {
        found.push([file, `${fullName}: ${firstLine(failureMessages.join('\n'))}`]);
      }
      if (status === 'failed' && failed.length === 0) found.push([file, firstLine(message)]);
    }
  } catch {
    // vitest ended before it wrote the report.
  }
  // Such as a worker that died, or an error that no test caught.
  return found.length > 0 ? found : [['outside of the tests', output.slice(-2000)]];
}

function firstLine(text) {
  return text.split('\n', 1)[0];
}
