import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** Programs that npm puts in the PATH of scripts, Node's included. */
const PROGRAMS = new Set(['node', 'npm', 'vitest']);

test.each(['prestart', 'start', 'dev', 'test', 'prepack'])(
  'npm run %s has no command that cmd, the shell of Windows, lacks',
  (name) => {
    const { scripts } = JSON.parse(readFileSync(path('package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const commands = (scripts[name] ?? '').split(' && ').map((command) => command.split(' ')[0]);
    const isThere = (program = ''): boolean =>
      // cmd looks in the current directory too.
      PROGRAMS.has(program) || existsSync(path(`${program}.cmd`));
    expect(commands.filter((program) => !isThere(program))).toEqual([]);
  },
);

test('git writes lines as they are in the repository, also where its default is CR and LF', () => {
  expect(readFileSync(path('.gitattributes'), 'utf8')).toContain('* text=auto eol=lf\n');
  expect(readFileSync(path('exec.cmd'), 'latin1')).not.toMatch(/[^\r]\n/);
});

test('no path is taken from a URL as it is: C: would follow a /, and a blank would be %20', () => {
  const sources = ['.ci', 'bench', 'scripts', 'src', 'test'].flatMap((folder) =>
    readdirSync(path(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|mjs)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  expect(sources.length).toBeGreaterThan(1000);
  const faulty = /import\.meta\.url\)\.pathname/;
  expect(sources.filter((name) => faulty.test(readFileSync(path(name), 'utf8')))).toEqual([]);
});
