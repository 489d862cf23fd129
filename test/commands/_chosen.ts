import { commandsOf, pages, type Command } from './_blocks.ts';
import { NOT_RUN } from './_tables.ts';

export function canRun({ written }: Command): boolean {
  return !NOT_RUN.some(([pattern]) => pattern.test(written));
}

/** Whether it has these programs only: words that begin it, after its variables, or follow a pipe. */
export function isOf(programs: readonly string[], { text }: Command): boolean {
  const plain = text.replaceAll(/'[^']*'/g, '');
  const words = plain.matchAll(/(?:^|[|;&(]\s*)(?:[A-Z_\d]+=\S+ )*([\w/.-]+)/g);
  return Array.from(words, ([, word = '']) => word).every((word) => programs.includes(word));
}

/** Pages, all of their commands, and those that are run, by block. Commands are indented, or in a fence of `sh`. */
export const found = pages.map((page) => {
  const blocks = page.blocks
    .filter(({ language }) => language === undefined || language === 'sh')
    .map(commandsOf);
  const chosen = blocks.map((commands) => commands.filter(canRun));
  return { page, all: blocks.flat(), blocks: chosen, run: chosen.flat() };
});
export const all = found.flatMap((each) => each.all);
export const run = found.flatMap((each) => each.run);
