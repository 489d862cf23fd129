import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { blocksOf, commandsOf } from '../commands/_blocks.ts';
import { startConfigured } from '../proxies/_configured.ts';
import type { ProxyProcess } from '../proxies/_proxy-process.ts';
import { freePorts } from '../_system.ts';
import { untilServed } from './_client.ts';
import { recipes, type Recipe, type RecipeName } from './_recipes.ts';

export const FOLDER = fileURLToPath(new URL('../../docs/recipes/', import.meta.url));

/** The port that is used in place of one of a page. */
type Ports = (written: number) => number;

/** A section of a recipe's page. */
interface Section {
  /** The first block of configuration. */
  readonly lines: string;
  /** The curl commands that end by themselves, without comments. */
  readonly commands: readonly string[];
}

export function sectionOf(name: string, title: string): Section {
  const [, begun = ''] = readFileSync(`${FOLDER}${name}.md`, 'utf8').split(`\n## ${title}\n`);
  const [section = ''] = begun.split('\n## ');
  const blocks = blocksOf(section);
  return {
    lines: blocks.find(({ language }) => language !== undefined)?.text ?? '',
    commands: blocks
      .filter(({ language }) => language === undefined)
      .flatMap(commandsOf)
      .map(({ text }) => text)
      .filter((command) => command.startsWith('curl ') && !command.includes(' -N ')),
  };
}

/** The command in "What to look at" that has this text. */
export function commandWith(name: string, text: string): string {
  const { commands } = sectionOf(name, 'What to look at');
  return commands.find((command) => command.includes(text)) ?? '';
}

/** Runs a command of a page. @returns its exit status, and what it writes */
export function run(command: string, port: Ports): Promise<{ status: unknown; output: string }> {
  const here = command.replaceAll(
    /localhost:(\d{4})/g,
    (_, written: string) => `127.0.0.1:${port(Number(written))}`,
  );
  return new Promise((resolve) => {
    execFile('sh', ['-c', `${here} -sS`], { encoding: 'latin1' }, (error, stdout, stderr) => {
      resolve({ status: error ? error.code : 0, output: stdout + stderr });
    });
  });
}

/** Starts a recipe's proxy with other lines in its configuration, on ports of its own. */
export async function startEdited(
  name: RecipeName,
  edited: readonly [string, string],
  wirebin: number,
): Promise<{ port: Ports; proxy: ProxyProcess }> {
  const recipe: Recipe = recipes[name];
  const configured = recipe.commands.flatMap((command) => command.ports);
  const free = await freePorts(configured.length);
  const ports = new Map(configured.map((port, at) => [port, free[at] ?? 0]));
  ports.set(8080, wirebin);
  const proxy = await startConfigured(recipe, {
    folder: FOLDER + name,
    ports,
    edit: (text) => text.replaceAll(...edited),
  });
  const port: Ports = (written) => ports.get(written) ?? 0;
  await untilServed(port(8443), true);
  return { port, proxy };
}

/** Runs the commands of a page for a proxy that repeats a request twice, and for the journal of it. */
export async function expectThreeAttempts(commands: readonly string[], port: Ports): Promise<void> {
  const [sent = '', journal = ''] = commands;
  expect(await run(sent, port)).toEqual({ status: 0, output: 'done' });
  expect(JSON.parse((await run(journal, port)).output)).toMatchObject({ attempts: 3, count: 3 });
}
