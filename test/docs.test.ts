import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { flagOf, settings, variableOf } from '../src/settings/settings.ts';
import { allEndpoints, completeState } from '../src/endpoints/all.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** What stands between the two markers of a name. */
function section(name: string): string {
  return readme.split(`<!-- ${name} -->\n`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
}

/** Columns are padded as the formatter does it. */
function table(header: string[], rows: string[][]): string {
  const all = [header, header.map(() => ''), ...rows];
  const widths = header.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0)));
  const lines = all.map((row, line) => {
    const cells = widths.map((width, at) => (row[at] ?? '').padEnd(width, line === 1 ? '-' : ' '));
    return `| ${cells.join(' | ')} |`;
  });
  return `\n${lines.join('\n')}\n\n`;
}

test('the table of endpoints is the declarations', () => {
  const rows = allEndpoints(completeState).map(({ methods, path, summary, setting }) => [
    `\`${path}\``,
    methods === 'any' ? 'any' : methods.join(', '),
    setting === undefined ? summary : `${summary} Off without \`${setting}\`.`,
  ]);
  expect(section('endpoints')).toBe(table(['Path', 'Methods', ''], rows));
});

test('the table of settings is the one in code', () => {
  const rows = Object.entries(settings).map(([name, { shown, help, ...setting }]) => {
    const value = 'value' in setting && setting.value !== undefined ? ` ${setting.value}` : '';
    const letter = 'short' in setting ? `\`-${setting.short}\`, ` : '';
    return [`${letter}\`--${flagOf(name)}${value}\``, `\`${variableOf(name)}\``, shown, help];
  });
  expect(section('settings')).toBe(table(['Flag', 'Variable', 'Default', ''], rows));
});

test('the two commands stand at the top', () => {
  expect(readme.split('\n').slice(2, 4)).toEqual([
    '    npm ci && npm start',
    '    npm ci && npm test',
  ]);
});
