// Starts wirebin and the proxy of a recipe: `npm run recipes -- nginx`. Of GitHub Actions and GitLab CI, runs the job.
import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { nameHint } from '../src/http/nearest.ts';
import { startConfigured } from '../test/proxies/_configured.ts';
import { howToInstall, pathOf, startServer } from '../test/proxies/_proxy-process.ts';
import { commandsOf, recipes, type Recipe } from '../test/recipes/_recipes.ts';
import { missingPrograms } from '../test/recipes/_checkout.ts';
import { Pipeline } from '../test/recipes/_pipeline.ts';
import { Workflow } from '../test/recipes/_workflow.ts';

const ORIGIN = 8080;
const known: Readonly<Record<string, Recipe>> = recipes;
const JOBS = { 'github-actions': 'GitHub Actions', 'gitlab-ci': 'GitLab CI' };
/** Columns for the names in the list. */
const WIDTH = 14;

function say(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Starts wirebin and a proxy on the ports of its configuration, until a signal. @returns the exit code */
async function main(args: readonly string[]): Promise<number> {
  const [name, other] = args;
  if (name === undefined || args.includes('--help') || args.includes('-h')) return usage();
  if (other !== undefined) return usage(`unexpected argument ${other}`);
  if (name === 'github-actions') return runJob(new Workflow(), showSteps);
  if (name === 'gitlab-ci') return runJob(new Pipeline(), showJob);
  const recipe = known[name];
  if (!recipe) {
    const names = [...Object.keys(known), ...Object.keys(JOBS)];
    return usage(`unknown recipe ${name}; ${nameHint(name, names, 'these are known')}`);
  }
  const missing = missingOf(recipe);
  if (missing.length > 0) {
    say(...missing);
    return 1;
  }
  const isReady = await areFree([ORIGIN, ...recipe.commands.flatMap(({ ports }) => ports)]);
  return isReady ? run(name, recipe) : 1;
}

/** @returns the exit code */
function usage(error?: string): number {
  if (error !== undefined) process.stderr.write(`${error}\n\n`);
  say(
    'Usage: npm run recipes -- NAME',
    '',
    ...Object.entries(known).map(listed),
    ...Object.entries(JOBS).map(([name, title]) => `${name.padEnd(WIDTH)} ${title}`),
  );
  return error === undefined ? 0 : 2;
}

function listed([name, recipe]: readonly [string, Recipe]): string {
  return [name.padEnd(WIDTH), recipe.title, ...missingOf(recipe).map((line) => `– ${line}`)].join(
    ' ',
  );
}

function missingOf({ commands }: Recipe): readonly string[] {
  return commands
    .filter(({ program }) => pathOf(program) === undefined)
    .map(({ program }) => `${program} is not installed: ${howToInstall(program)}`);
}

/** Whether all ports are free; prints the first that is not. */
async function areFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) {
    if (await isFree(port)) continue;
    say(`Port ${port} is in use.`);
    return false;
  }
  return true;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isListening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isListening;
}

async function run(name: string, recipe: Recipe): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => resolve());
  });
  const command = [process.execPath, 'dist/main.js', '--host', '127.0.0.1'] as const;
  const wirebin = await startServer([...command, ...recipe.settings], [ORIGIN]);
  const proxy = await startConfigured(recipe, {
    folder: `docs/recipes/${name}`,
    ports: new Map(),
  });
  const { start, check } = commandsOf(recipe);
  const files = recipe.configuration.map((file) => `docs/recipes/${name}/${file}`);
  say(
    `${recipe.title} runs with ${files.join(' and ')}, wirebin as \`${start}\`.`,
    '',
    ...recipe.fronts.map(({ port, secure, origin }) => {
      const url = `${secure ? '-k https' : 'http'}://localhost:${port}/anything`;
      return `    curl ${url.padEnd(36)} # ${origin} to wirebin`;
    }),
    `    curl http://localhost:${ORIGIN}/connections`,
    `    ${check}`,
    '',
    'Ctrl-C stops both.',
  );
  await stopped;
  await proxy.close();
  await wirebin.close();
  return 0;
}

/** Runs a job as its service would, with wirebin beside it. @param show runs it with this main.js */
async function runJob<J extends Workflow | Pipeline>(
  job: J,
  show: (job: J, program: string) => Promise<void>,
): Promise<number> {
  const missing = missingPrograms();
  if (missing.length > 0) {
    say(`Not installed: ${missing.join(', ')}`);
    return 1;
  }
  if (!(await areFree([ORIGIN, 8443]))) return 1;
  const variables = Object.entries(job.serviceVariables).map((pair) => pair.join('='));
  const command = [process.execPath, 'dist/main.js', '--host', '127.0.0.1'];
  const wirebin = await startServer(['env', ...variables, ...command], [ORIGIN]);
  await show(job, path.resolve('dist/main.js'));
  job.checkout.close();
  await wirebin.close();
  return 0;
}

async function showSteps(workflow: Workflow, program: string): Promise<void> {
  for (const { name, code, output } of await workflow.run(program)) {
    say(`== ${name}: ${code === undefined ? 'skipped' : `exit code ${code}`}`, output);
  }
  say('== Summary of the job', workflow.summary);
}

async function showJob(pipeline: Pipeline, program: string): Promise<void> {
  const { code, output } = await pipeline.run(program);
  say(output, `== exit code ${code}`);
}

process.exitCode = await main(process.argv.slice(2));
