// Compares the tables of names with IANA's registries: `npm run registries -- FILE…`. See CONTRIBUTING.md.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { differences } from './registries/comparison.ts';
import { tables } from './registries/tables.ts';

/** Compares a table with the file of its registry. @returns what is said of it, and the exit code */
function compare(file: string): readonly [text: string, code: 0 | 1 | 2] {
  const table = tables[basename(file)];
  if (!table) return ['has no table here', 2];
  try {
    const found = differences(table, readFileSync(file, 'utf8'));
    if (found.length === 0) return ['no difference', 0];
    return [`differs\n  ${found.join('\n  ')}`, 1];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error), 2];
  }
}

const files = process.argv.slice(2);
let exitCode = 0;
for (const file of files) {
  const [text, code] = compare(file);
  exitCode = Math.max(exitCode, code);
  process.stdout.write(`${basename(file)}: ${text}\n`);
}
if (files.length === 0) {
  process.stderr.write(
    `usage: npm run registries -- FILE…\n  ${Object.keys(tables).join('\n  ')}\n`,
  );
  exitCode = 2;
}
process.exitCode = exitCode;
