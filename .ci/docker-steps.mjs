// Runs the Dockerfile without an engine: every COPY and RUN as it stands, a folder for each stage,
// then CMD, and the HEALTHCHECK against it. Users, ports and the base image are the engine's part.
import { execSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = mkdtempSync(join(tmpdir(), 'wirebin-docker-'));
const port = '18080';
const lines = readFileSync('Dockerfile', 'utf8').replaceAll('\\\n', ' ').split('\n');
const environment = { ...process.env, WIREBIN_PORT: port };
const stages = [];
let command = [];
let check = [];

for (const line of lines.map((text) => text.trim())) {
  const [instruction, ...words] = line.split(/\s+/);
  const stage = stages.at(-1);
  switch (instruction) {
    case 'FROM':
      stages.push({ name: words[2], directory: join(root, String(stages.length)) });
      mkdirSync(stages.at(-1).directory);
      break;
    case 'COPY':
      copy(stage, words);
      break;
    case 'RUN':
      console.log(`${stage.name ?? 'final'}: ${line}`);
      // No user of this name need exist here, and none is needed to own a folder of our own.
      execSync(words.join(' ').replace(/ && chown .*$/, ''), {
        cwd: stage.directory,
        stdio: 'inherit',
      });
      break;
    case 'HEALTHCHECK':
      check = JSON.parse(line.slice(line.indexOf('CMD') + 3));
      break;
    case 'CMD':
      command = JSON.parse(words.join(' '));
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

const { directory } = stages.at(-1);
const [, ...args] = command;
const server = spawn(process.execPath, args, {
  cwd: directory,
  env: environment,
  stdio: 'inherit',
});
const [, ...checkArgs] = check;
let healthy = false;
for (let attempt = 0; attempt < 20 && !healthy; attempt++) {
  await new Promise((resolve) => setTimeout(resolve, 250));
  const probe = spawn(process.execPath, checkArgs, { env: environment, stdio: 'inherit' });
  healthy = (await new Promise((resolve) => probe.on('exit', resolve))) === 0;
}
server.kill(lines.find((line) => line.startsWith('STOPSIGNAL')).split(' ')[1]);
const exit = await new Promise((resolve) => server.on('exit', resolve));
rmSync(root, { recursive: true });
console.log(healthy ? 'healthy' : 'never healthy', `exit ${exit}`);
process.exitCode = healthy && exit === 0 ? 0 : 1;
