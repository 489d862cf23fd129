import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { commandsOf, recipes, type Front, type Recipe } from '../test/recipes/_recipes.ts';
import { table } from './markdown.ts';

const FOLDER = 'docs/recipes';

/** What highlights a file, by its extension or else its name. */
const LANGUAGES: Readonly<Record<string, string>> = {
  '.conf': 'nginx',
  '.cfg': 'haproxy',
  Caddyfile: 'caddyfile',
  '.mjs': 'js',
  '.py': 'python',
  '.sh': 'sh',
  '.vcl': 'vcl',
};

const ORIGINS: Readonly<Record<Front['origin'], string>> = {
  'http/1.1': 'HTTP/1.1',
  h2c: 'HTTP/2 in cleartext',
  'as the client': 'The version of the client, in cleartext',
};

/** The generated sections of docs/recipes/: the files of each folder, and how a proxy is started. */
export function recipePages(): Record<string, Record<string, string>> {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return Object.fromEntries(
    folders.map(({ name }) => {
      const files = readdirSync(join(FOLDER, name)).map((file) => [file, fenced(name, file)]);
      return [`${FOLDER}/${name}.md`, { ...started(name), ...Object.fromEntries(files) }];
    }),
  );
}

function fenced(folder: string, file: string): string {
  const language = LANGUAGES[extname(file) || file] ?? extname(file).slice(1);
  return `\n\`\`\`${language}\n${readFileSync(join(FOLDER, folder, file), 'utf8')}\`\`\`\n`;
}

function started(name: string): { run?: string } {
  const recipe = Object.entries<Recipe>(recipes).find(([known]) => known === name)?.[1];
  if (!recipe) return {};
  const { start, check } = commandsOf(recipe);
  const run = `npm run recipes -- ${name}`;
  const lines = [
    `${run.padEnd(start.length)}    # both, with the files below, until Ctrl-C`,
    `${start}    # wirebin by itself`,
    check,
  ];
  const shown = lines.map((line) => `    ${line}`);
  return { run: `\n${shown.join('\n')}\n${frontTable(recipe.fronts)}` };
}

function frontTable(fronts: readonly Front[]): string {
  const rows = fronts.map(({ port, secure, origin, proxyProtocol, trailers }) => [
    String(port),
    secure ? 'HTTP/1.1 and HTTP/2, over TLS' : 'HTTP/1.1, in cleartext',
    ORIGINS[origin] +
      (proxyProtocol === undefined ? '' : ` after a PROXY header, version ${proxyProtocol}`),
    trailers ? 'yes' : 'no',
  ]);
  return table(['Port', 'Clients', 'To wirebin', 'Trailers of responses arrive'], rows);
}
