// h2spec against the built service, over TLS and in clear, held against an exact list of what fails.
// With --bare it also runs against node:http2 alone, in clear: what Node itself brings along. All other
// options are the service's, such as --inspect or --h2-engine.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CASES, expectedFailures, races } from './h2spec-expected.mjs';

const MODULE = 'github.com/summerwind/h2spec/cmd/h2spec';
// The answer takes its time, or streams that are to be half closed would be closed already.
const TARGET = '/delay/0.2';
const BARE = `
  const server = require('node:http2').createServer().on('sessionError', () => {});
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    setTimeout(() => stream.destroyed || stream.closed || (stream.respond(), stream.end('Response delayed by 0.2 seconds')), 200);
  });
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify(server.address())));`;

function findProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), 'go', 'bin')];
  return folders
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Starts a server whose first line is JSON with its port. */
async function start(...args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).split('\n')[0]));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return { child, port: JSON.parse(line).port };
}

/** Runs all cases. @returns how many there were, and those that failed or were skipped */
async function judge(program, port, transport) {
  const directory = mkdtempSync(join(tmpdir(), 'h2spec-'));
  const report = join(directory, 'report.xml');
  const args = ['-h', '127.0.0.1', '-p', String(port), '-P', TARGET, '-j', report];
  if (transport === 'TLS') args.push('-t', '-k');
  const child = spawn(program, args, { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  const found = readReport(readFileSync(report, 'utf8'));
  rmSync(directory, { recursive: true });
  return found;
}

function readReport(xml) {
  const failed = [];
  let cases = 0;
  for (const [, section, content] of xml.matchAll(
    /<testsuite [^>]*package="([^"]*)"[^>]*>(.*?)<\/testsuite>/gs,
  )) {
    const each = [...content.matchAll(/<testcase [^>]*>(.*?)<\/testcase>/gs)];
    cases += each.length;
    for (const [at, [, outcome]] of each.entries()) {
      if (/<(?:failure|error|skipped)/.test(outcome)) failed.push(`${section}/${at + 1}`);
    }
  }
  return { cases, failed };
}

/** @returns what is not as expected, in sentences */
function deviations({ cases, failed }, expected, racing) {
  const known = Object.keys(expected);
  return [
    ...(cases === CASES ? [] : [`${cases} cases were run, not ${CASES}`]),
    ...failed
      .filter((name) => !known.includes(name) && !(name in racing))
      .map((name) => `${name} fails`),
    ...known.filter((name) => !failed.includes(name)).map((name) => `${name} no longer fails`),
  ];
}

const program = findProgram('h2spec');
if (!program) {
  const [, version] = /^H2SPEC=(.*)$/m.exec(readFileSync('.ci/versions', 'utf8')) ?? [];
  console.error('h2spec is neither in PATH nor in ~/go/bin. With Go it is to be had by');
  console.error(`  go install ${MODULE}@${version}`);
  process.exit(1);
}
const settings = process.argv.slice(2).filter((word) => word !== '--bare');
const engine = settings[settings.indexOf('--h2-engine') + 1];
const racing = races(engine);
const major = Number(process.versions.node.split('.')[0]);
const service = await start('dist/main.js', '--port=0', '--host=127.0.0.1', ...settings);
let red = false;
await Promise.all(
  ['TLS', 'clear'].map(async (transport) => {
    const expected = expectedFailures(major, transport, engine);
    const found = await judge(program, service.port, transport);
    const wrong = expected
      ? deviations(found, expected, racing)
      : [`there is no list for Node ${major}`];
    red ||= wrong.length > 0;
    const score = `${found.cases - found.failed.length} of ${found.cases} pass`;
    console.log([`Node ${process.versions.node}, ${transport}: ${score}`, ...settings].join(' '));
    for (const name of found.failed)
      console.log(`  ${name}: ${expected?.[name] ?? racing[name] ?? 'unexpected'}`);
    for (const line of wrong) console.error(`${transport}: ${line}`);
  }),
);
const ended = service.child.exitCode ?? service.child.signalCode;
if (ended !== null) {
  red = true;
  console.error(`the service ended with ${ended}`);
}
service.child.kill();
if (process.argv.includes('--bare')) {
  const bare = await start('--eval', BARE);
  const { failed } = await judge(program, bare.port, 'clear');
  console.log(`node:http2 alone, in clear, fails or skips: ${failed.join(' ')}`);
  bare.child.kill();
}
process.exitCode = red ? 1 : 0;
