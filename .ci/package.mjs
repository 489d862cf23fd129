// The package as others get it: packed, linted, installed into an empty folder and used from there.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { parse } from 'yaml';

/** What is packed beside what `npm run build` makes, in npm's order. */
const OTHERS = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'dist/bench/report/report.d.ts',
  'dist/check/report/json-schema.d.ts',
  'dist/echo/echo-schema.d.ts',
  'dist/index.d.ts',
  'dist/server/schema.d.ts',
  'dist/service/create-service.d.ts',
  'dist/settings/options.d.ts',
  'dist/settings/settings-error.d.ts',
  'dist/telemetry/connections-schema.d.ts',
  'dist/telemetry/journal/entry.d.ts',
  'dist/telemetry/logger.d.ts',
  'dist/telemetry/tap/event-schema.d.ts',
  'docs/NOTICE',
  'docs/wirebin.1',
  'package.json',
  'proto/grpc/health/v1/health.proto',
  'proto/grpc/reflection/v1/reflection.proto',
  'proto/grpc/reflection/v1alpha/reflection.proto',
  'proto/grpc/testing/empty.proto',
  'proto/grpc/testing/messages.proto',
  'proto/grpc/testing/test.proto',
  'proto/grpcbin/grpcbin.proto',
  'proto/grpcecho.proto',
  'proto/wirebin/v1/wirebin.proto',
];

/** What arethetypeswrong finds and is so by design. */
const BY_DESIGN = new Map([
  // It has no `exports`, and TypeScript 7 has it no more.
  ['NoResolution', 'node10'],
  // Every Node that wirebin runs on can require ES modules, and TypeScript 5.8 knows.
  ['CJSResolvesToESM', 'node16-cjs'],
]);

const CONSUMER = `
import { createService, SettingsError } from 'wirebin';
import type {
  BenchReport, CheckReport, Connections, Echo, Journal, Logger, Service, ServiceOptions, TapEvent,
} from 'wirebin';

const logger: Logger = { error() {}, warn() {}, info() {}, debug() {} };
const options: ServiceOptions = { port: 0, idleTimeout: '90s', disable: ['/ip'], logger };
export async function use(): Promise<number> {
  await using service: Service = await createService(options);
  const url: string = service.httpOrigin + service.httpsOrigin + service.certificate;
  await service.close();
  return url.length + service.port + (await service.drain());
}
export const reuses = ({ reuses: share, transports }: Connections) => share ?? transports.h2?.reuses;
export const statusOf = (event: TapEvent) => event.kind === 'request' && event.status;
export const targetsOf = ({ entries }: Journal) => entries.map(({ target }) => target);
export const settingOf = (error: unknown) => error instanceof SettingsError && error.setting;
export const isFast = ({ conn }: Echo) => conn.protocol === 'h2';
// @ts-expect-error -- there is no such protocol
export const isFaster = ({ conn }: Echo) => conn.protocol === 'h3';
export const failed = ({ checks, summary, facts }: CheckReport): number | false =>
  !facts.tunnel && checks.filter(({ outcome }) => outcome === 'fail').length + summary.flaky;
export const ratio = ({ rows }: BenchReport) => rows[0]?.metrics.requests_per_second?.ratio;
// @ts-expect-error -- there is no such outcome
export const missed = ({ checks }: CheckReport) => checks.some(({ outcome }) => outcome === 'missed');
// @ts-expect-error -- an option has one type
void createService({ tap: 'x' });
// @ts-expect-error -- there is no such option
void createService({ workers: 2 });
`;

/** Neither Node's types nor the DOM's, and our declarations are compiled too. */
const COMPILER_OPTIONS = {
  module: 'NodeNext',
  target: 'ES2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: [],
};

const root = process.cwd();
const folder = mkdtempSync(join(tmpdir(), 'wirebin-package-'));
const outside = join(folder, 'outside');

try {
  const file = pack();
  await lint(file);
  await serve(file);
  mkdirSync(outside);
  writeFileSync(join(outside, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--no-audit', '--no-fund', file], outside);
  useFromOutside();
  compileOutside();
  release(file);
} finally {
  rmSync(folder, { recursive: true });
}

/** npm builds it before. */
function pack() {
  // What `prepack` writes comes before npm's own.
  const { stdout } = run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], root);
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  const paths = packed.files.map(({ path }) => path);
  const others = paths.filter((path) => !/^dist\/(?:.*\.js|browser\/.*|docs\/.*)$/.test(path));
  assert.deepEqual(others, OTHERS);
  ok(`${packed.entryCount} files are packed, ${packed.size} bytes`);
  return join(folder, packed.filename);
}

async function lint(file) {
  const tarball = readFileSync(file);
  const { buffer, byteOffset, byteLength } = tarball;
  const packed = { tarball: buffer.slice(byteOffset, byteOffset + byteLength) };
  const { messages, pkg } = await publint({ pack: packed, strict: true });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
  ok('publint finds nothing');
  const { types, problems } = await checkPackage(createPackageFromTarballData(tarball));
  assert.deepEqual(types, { kind: 'included' });
  const faults = problems.filter(
    ({ kind, resolutionKind }) => BY_DESIGN.get(kind) !== resolutionKind,
  );
  assert.deepEqual(faults, []);
  ok('arethetypeswrong finds nothing that is not so by design');
}

/** One command in an empty folder: it serves until Ctrl-C, which is a signal for all processes of npx. */
async function serve(file) {
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const args = ['--yes', `--package=${file}`, 'wirebin', '--port', '0', '--host', '127.0.0.1'];
  const env = { ...process.env, npm_config_cache: join(folder, 'cache') };
  const stdio = ['ignore', 'pipe', 'ignore'];
  const npx = spawn('npx', args, { cwd: empty, env, stdio, detached: true });
  const lines = createInterface({ input: npx.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(npx, 'exit').then(([code]) => assert.fail(`npx ended with ${code} before it served`)),
  ]);
  const { port } = JSON.parse(line);
  const { url } = await (await fetch(`http://127.0.0.1:${port}/get`)).json();
  assert.equal(url, `http://127.0.0.1:${port}/get`);
  process.kill(-npx.pid, 'SIGINT');
  // The last of them closes it.
  await once(lines, 'close');
  await assert.rejects(fetch(`http://127.0.0.1:${port}/get`));
  assert.deepEqual(readdirSync(empty), []);
  ok('npx serves from the package in an empty folder, and leaves nothing there');
}

function useFromOutside() {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const npx = run('npx', ['--no-install', 'wirebin', '--version'], outside);
  assert.equal(npx.stdout, `${version}\n`);
  ok('npx runs it');

  cpSync('docs/examples', join(outside, 'examples'), { recursive: true });
  run(process.execPath, ['--test', 'examples/http.test.mjs', 'examples/tls.test.mjs'], outside);
  ok('the examples pass');

  const required = evaluate("require('wirebin').createService().then((it) => it.close())");
  assert.deepEqual(required, { stdout: '', stderr: '' });
  ok('CommonJS requires it, without a warning');

  const inner = evaluate("import('wirebin/dist/main.js').catch(({ code }) => console.log(code))");
  assert.equal(inner.stdout, 'ERR_PACKAGE_PATH_NOT_EXPORTED\n');
  ok('nothing else of it can be imported');
}

function compileOutside() {
  for (const name of ['module.mts', 'commonjs.cts']) writeFileSync(join(outside, name), CONSUMER);
  const [, example] = readFileSync('docs/library.md', 'utf8').match(/```ts\n(.*?)```/s);
  writeFileSync(join(outside, 'example.mts'), example);
  const config = JSON.stringify({ compilerOptions: COMPILER_OPTIONS });
  writeFileSync(join(outside, 'tsconfig.json'), config);
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], outside);
  ok('TypeScript compiles what uses it, a module and CommonJS');
}

/** Runs the steps of the release workflow that make files of the package. */
function release(file) {
  const job = join(folder, 'job');
  const temporary = join(folder, 'temporary');
  for (const path of [join(job, 'release'), temporary]) mkdirSync(path, { recursive: true });
  for (const path of ['docs/wirebin.1', 'deploy/systemd'])
    cpSync(path, join(job, path), { recursive: true });
  cpSync(file, join(job, 'release', basename(file)));
  const { steps } = parse(readFileSync('.github/workflows/release.yml', 'utf8')).jobs.release;
  const scripts = steps.filter((step) => /npm install|sha256sum/.test(step.run));
  assert.equal(scripts.length, 2);
  for (const { run: script, 'working-directory': path = '.' } of scripts) {
    const env = { ...process.env, RUNNER_TEMP: temporary };
    run('bash', ['-e', '-c', script], join(job, path), env);
  }
  assert.deepEqual(readdirSync(join(job, 'release')), [
    'SHA256SUMS',
    basename(file),
    'wirebin.1',
    'wirebin.bash',
    'wirebin.fish',
    'wirebin.service',
    'wirebin.zsh',
  ]);
  ok('the release workflow makes its files of it');
}

function evaluate(program) {
  return run(process.execPath, ['-e', program], outside);
}

function run(program, args, cwd, env = process.env) {
  const options = { cwd, env, encoding: 'utf8' };
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (error) throw error;
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return { stdout, stderr };
}

function ok(finding) {
  console.log(`ok: ${finding}`);
}
