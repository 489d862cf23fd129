import { commandsOf, pages, type Block, type Command } from './_blocks.ts';
import { NOT_COMMANDS, NOT_RUN } from './_tables.ts';

/** Patterns that a block or a command has. */
export const applied = new Set<RegExp>();

function isIn(table: readonly (readonly [RegExp, string])[], text: string): boolean {
  const row = table.find(([pattern]) => pattern.test(text));
  if (row) applied.add(row[0]);
  return row !== undefined;
}

function hasCommands({ language, text }: Block): boolean {
  if (language === undefined) return !isIn(NOT_COMMANDS, text);
  const isOfShell = /^(?:sh|bash|shell|console)$/.test(language);
  return isOfShell || (language === '' && /^(?:\$ )?(?:curl|npm|wirebin) /m.test(text));
}

/** Whether it has these programs only: words that begin it, after its variables, or follow a pipe. */
export function isOf(programs: readonly string[], { text }: Command): boolean {
  const plain = text.replace(/^npm start\b/, 'wirebin').replaceAll(/'[^']*'/g, '');
  const words = plain.matchAll(/(?:^|[|;&(]\s*)(?:[A-Z_]+=\S+ )*([\w/.-]+)/g);
  return Array.from(words, ([, word = '']) => word).every((word) => programs.includes(word));
}

/** Pages, all of their commands, and those that are run, by block. */
export const found = pages.flatMap((page) => {
  const blocks = page.blocks.filter(hasCommands).map(commandsOf);
  const chosen = blocks.map((commands) =>
    commands.filter(({ written }) => !isIn(NOT_RUN, written)),
  );
  return [{ page, all: blocks.flat(), blocks: chosen, run: chosen.flat() }];
});
export const all = found.flatMap((each) => each.all);
export const run = found.flatMap((each) => each.run);
