// Runs the Dockerfile without an engine: every COPY and RUN as it stands, a folder for each stage, then
// ENTRYPOINT with several arguments, and the HEALTHCHECK against it. Users, ports and the base image are the
// engine's part.
import { execSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'wirebin-docker-'));
const lines = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ').split('\n');
const stages = [];
let entrypoint = [];
let check = [];

for (const line of lines.map((text) => text.trim())) {
  const [instruction, ...words] = line.split(/\s+/);
  const stage = stages.at(-1);
  switch (instruction) {
    case 'FROM':
      stages.push({
        name: words[words.indexOf('AS') + 1],
        directory: join(root, String(stages.length)),
      });
      mkdirSync(stages.at(-1).directory);
      break;
    case 'COPY':
      copy(stage, words);
      break;
    case 'RUN':
      console.log(`${stage.name}: ${line}`);
      execSync(words.join(' '), { cwd: stage.directory, stdio: 'inherit' });
      break;
    case 'HEALTHCHECK':
      check = JSON.parse(line.slice(line.indexOf('CMD') + 3));
      break;
    case 'ENTRYPOINT':
      entrypoint = JSON.parse(words.join(' '));
      break;
    default:
  }
}

function copy(stage, words) {
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = paths.pop();
  for (const path of paths) {
    const source = from
      ? join(stages.find(({ name }) => name === from).directory, path.split('/').slice(2).join('/'))
      : path;
    const name = target.endsWith('/') ? join(target, path.split('/').at(-1)) : target;
    if (!existsSync(source)) throw new Error(`COPY: there is no ${path}`);
    cpSync(source, join(stage.directory, name), { recursive: true });
  }
}

const workdir = lines.findLast((line) => line.startsWith('WORKDIR')).split(' ')[1];
const { directory } = stages.at(-1);

/** What the engine would start, with the folder of the last stage as its root. */
function start([program, ...args], options) {
  if (program !== 'node') throw new Error(`${program} is not in the image`);
  const paths = args.map((arg) => arg.replace(new RegExp(`^${workdir}(?=/|$)`), directory));
  return spawn(process.execPath, paths, { cwd: directory, stdio: 'inherit', ...options });
}

async function exitOf(child) {
  const [code] = await once(child, 'exit');
  return code;
}

/** What `docker run wirebin` does with these arguments and variables, until it is healthy and then stopped. */
async function run(args, variables = {}) {
  const server = start([...entrypoint, ...args], { env: { ...process.env, ...variables } });
  const ended = exitOf(server);
  let healthy = false;
  for (
    let attempt = 0;
    attempt < 20 && !healthy && (server.exitCode ?? server.signalCode) === null;
    attempt++
  ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    // The engine starts it with the variables, but it does not know the arguments.
    healthy = (await exitOf(start(check, { env: { ...process.env, ...variables } }))) === 0;
  }
  server.kill(lines.find((line) => line.startsWith('STOPSIGNAL')).split(' ')[1]);
  const exit = await ended;
  console.log(`${args.join(' ')}: ${healthy ? 'healthy' : 'never healthy'}, exit ${exit}`);
  return healthy && exit === 0;
}

/** On a port in use, another service could respond to the check. */
async function freePort() {
  const server = createServer().listen(0);
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return String(port);
}

const transport = ['--transports', 'h2', '--proxy-protocol', 'require'];
const outcomes = [
  await run([], { WIREBIN_PORT: await freePort() }),
  await run(['--port', await freePort(), '--tap', ...transport]),
  (await exitOf(start([...entrypoint, 'check', '--list'], { stdio: 'ignore' }))) === 0,
];
rmSync(root, { recursive: true });
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
