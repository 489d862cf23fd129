// Starts wirebin and the proxy of a recipe: `npm run recipes -- nginx`.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { startConfigured } from '../test/proxies/_configured.ts';
import { howToInstall, pathOf, startServer } from '../test/proxies/_proxy-process.ts';
import { commandsOf, recipes, type Recipe } from '../test/recipes/_recipes.ts';

const ORIGIN = 8080;
const known: Readonly<Record<string, Recipe>> = recipes;

function say(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
}

/** Starts wirebin and a proxy on the ports of its configuration, until a signal. @returns the exit code */
async function main([name]: readonly string[]): Promise<number> {
  const recipe = name === undefined ? undefined : known[name];
  if (name === undefined || !recipe) {
    say('Usage: npm run recipes -- NAME', '', ...Object.entries(known).map(listed));
    return name === undefined ? 0 : 2;
  }
  const missing = missingOf(recipe);
  if (missing.length > 0) {
    say(...missing);
    return 1;
  }
  for (const port of [ORIGIN, ...recipe.commands.flatMap(({ ports }) => ports)]) {
    if (await isFree(port)) continue;
    say(`Port ${port} is in use.`);
    return 1;
  }
  return run(name, recipe);
}

function listed([name, recipe]: readonly [string, Recipe]): string {
  return [name.padEnd(10), recipe.title, ...missingOf(recipe).map((line) => `– ${line}`)].join(' ');
}

function missingOf({ commands }: Recipe): readonly string[] {
  return commands
    .filter(({ program }) => pathOf(program) === undefined)
    .map(({ program }) => `${program} is not installed: ${howToInstall(program)}`);
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

process.exitCode = await main(process.argv.slice(2));
