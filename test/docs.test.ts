import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { describe, expect, test } from 'vitest';
import { endpointPages } from '../scripts/endpoint-pages.ts';
import { manual as manualPage } from '../scripts/man.ts';
import { anchorOf } from '../scripts/markdown.ts';
import { recordedModule } from '../scripts/recorded.ts';
import { generated, protoFiles, section, withSections } from '../scripts/tables.ts';
import { options as benchOptions } from '../src/bench/options.ts';
import { reportSchema as benchReportSchema } from '../src/bench/report/report.ts';
import { options as checkOptions } from '../src/check/options.ts';
import { reportSchema as checkReportSchema } from '../src/check/report/json-schema.ts';
import { flagOf, settings } from '../src/settings/settings.ts';
import type { JsonSchema } from '../src/server/schema.ts';
import { echoSchema } from '../src/echo/echo-schema.ts';
import { protoText } from '../src/wire/protobuf/proto-text.ts';
import { isDisturbed } from '../src/endpoints/all.ts';
import { TERMINATION_REASONS } from '../src/net/close-reason.ts';
import { DIFFERENCES } from './_engine.ts';
import { endpoints } from './_walk.ts';
import { knownLibraries } from './known/_libraries.ts';
import { knownServers } from './known/_servers.ts';
import { pages as allPages } from './commands/_blocks.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const pages = allPages.map(({ path }) => path);
const documents = pages.filter((path) => path.startsWith('docs/'));
const manual = pages.filter((path) => /^(?:docs\/|\.github\/|[A-Z]+\.md$)/.test(path));

/** The first cells of the rows between two markers, as far as they begin with code. */
function rowsOf(path: string, name: string): string[] {
  const rows = section(read(path), name).matchAll(/^\| (?:`-\w`, )?`([^` ]+)/gm);
  return Array.from(rows, ([, label = '']) => label);
}

/** As `npm run format` would write it: the options are those of .editorconfig. */
async function formatted(path: string, text: string): Promise<string> {
  return (await format(path, text, { printWidth: 100, singleQuote: true })).code;
}

function schemaText(schema: JsonSchema): string {
  return JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema });
}

describe('generated tables', () => {
  // Which is this test, told to update.
  test.each<[path: string, text: string | Promise<string>]>([
    ...Object.entries(generated).map(([path, sections]): [string, string] => [
      path,
      withSections(read(path), sections),
    ]),
    ...Object.entries(endpointPages()),
    ...protoFiles.map((file): [string, string] => [`proto/${file.name}`, protoText(file)]),
    ['docs/wirebin.1', manualPage()],
    ...[
      ['src/check/recorded-servers.ts', recordedModule('servers', knownServers)],
      ['src/check/recorded-libraries.ts', recordedModule('libraries', knownLibraries)],
      ['docs/check-report.schema.json', schemaText(checkReportSchema)],
      ['docs/bench-report.schema.json', schemaText(benchReportSchema)],
    ].map(([path = '', text = '']): [string, Promise<string>] => [path, formatted(path, text)]),
  ])('%s is what `npm run docs` writes', async (path, text) => {
    const outdated = `${path} is outdated: run \`npm run docs\``;
    await expect(await text, outdated).toMatchFileSnapshot(join(root, path));
  });

  test('every endpoint and every setting has its row', () => {
    const listed = section(read('docs/endpoints.md'), 'endpoints').matchAll(/^- \[`([^`]+)`\]/gm);
    const paths = Array.from(listed, ([, path = '']) => path);
    expect(paths.toSorted()).toEqual(endpoints.map(({ path }) => path).toSorted());
    const flags = Object.keys(settings).map((name) => `--${flagOf(name)}`);
    expect(rowsOf('docs/settings.md', 'settings')).toEqual(flags);
  });

  test('a page without the markers is an error', () => {
    expect(() => withSections('<!-- a -->\n', { a: 'text' })).toThrow('markers of a');
  });
});

describe('README', () => {
  const readme = read('README.md');

  test('the two commands are at the top', () => {
    expect(readme.split('\n').slice(2, 4)).toEqual([
      '    npm ci && npm start',
      '    npm ci && npm test',
    ]);
  });

  test('has at most 150 lines', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  test('the example of an echo has members of an echo only', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(readme) ?? [];
    const shown = JSON.parse(example) as Record<string, object>;
    expect(Object.keys(echoSchema.properties ?? {})).toEqual(
      expect.arrayContaining(Object.keys(shown)),
    );
    expect(propertiesOf('conn')).toEqual(expect.arrayContaining(Object.keys(shown['conn'] ?? {})));
  });
});

function propertiesOf(member: string): string[] {
  const schema: JsonSchema | undefined = echoSchema.properties?.[member];
  return Object.keys(schema?.properties ?? {});
}

test('docs/echo.md describes every member of the echo', () => {
  const labels = new Set([...read('docs/echo.md').matchAll(/`([^`]+)`/g)].map(([, name]) => name));
  const members = [...Object.keys(echoSchema.properties ?? {}), ...propertiesOf('conn')];
  expect(members.filter((name) => !labels.has(name))).toEqual([]);
});

test('docs/limits.md describes every difference of --h2-engine that tests know', () => {
  const rows = read('docs/limits.md').split('<!-- differences -->')[1] ?? '';
  expect(DIFFERENCES.filter((row) => !rows.includes(`\n| ${row} |`))).toEqual([]);
});

test('docs/limits.md describes every reason', () => {
  expect(new Set(rowsOf('docs/limits.md', 'reasons'))).toEqual(new Set(TERMINATION_REASONS));
});

function withoutBlocks(text: string): string {
  return text.replace(/^```.*?^```$/gms, '');
}

/** The anchors of headings as GitHub makes them. */
function anchorsOf(path: string): string[] {
  const headings = withoutBlocks(read(path)).matchAll(/^#+ (.+)$/gm);
  return Array.from(headings, ([, heading = '']) => anchorOf(heading));
}

/** Inline code, but for what is in blocks. */
function codeIn(path: string): string[] {
  return Array.from(withoutBlocks(read(path)).matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
}

/** The relative links of a page, as paths from the root, and their fragments. */
function linksOf(path: string): { readonly target: string; readonly anchor: string | undefined }[] {
  const links = withoutBlocks(read(path)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g);
  return Array.from(links, ([, link = '']) => {
    const [file = '', anchor] = link.split('#');
    return { target: file === '' ? path : posix.join(posix.dirname(path), file), anchor };
  });
}

describe('the pages in docs/', () => {
  // In these, one looks up a row.
  const tables = new Set([
    'docs/endpoints.md',
    'docs/endpoints/faults.md',
    'docs/proxies/checks.md',
    ...documents.filter((path) => path.startsWith('docs/measured/')),
  ]);

  test.each(documents)('%s begins with a command or an example, and is short', (path) => {
    const text = read(path);
    const line = text.split('\n').findIndex((each) => /^(?: {4}|```)/.test(each));
    expect(line, 'line of the first block').toBeGreaterThan(1);
    expect(line, 'line of the first block').toBeLessThan(22);
    if (!tables.has(path)) expect(Buffer.byteLength(text)).toBeLessThan(17_000);
  });
});

describe('references', () => {
  test.each(pages)('the links of %s lead to files and headings', (path) => {
    const broken = linksOf(path).filter(({ target, anchor }) => {
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test.each(manual)('the files that %s names are there', (path) => {
    const files = codeIn(path).filter((code) =>
      /^(?:src|test|docs|bench|scripts|\.ci)\/[\w./-]+$/.test(code),
    );
    // docs/measured/hostile.md names tests by their path below test/.
    const missing = files.filter(
      (file) => ![file, `test/${file}`].some((each) => existsSync(join(root, each))),
    );
    // CONTRIBUTING.md has it as an example of what to add.
    expect(missing.filter((file) => !/\/teapot\./.test(file))).toEqual([]);
  });

  test.each(pages)('the scripts that %s runs are there', (path) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = read(path).match(/(?<=\bnpm run )\w[\w:-]*/g) ?? [];
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test.each(manual)('the flags that %s names are settings', (path) => {
    const declared = [settings, checkOptions, benchOptions].flatMap((each) => Object.keys(each));
    const known = new Set(declared.map(flagOf));
    const flags = codeIn(path).map((code) => /^--(?:no-)?([a-z-]+[a-z])(?: |$)/.exec(code)?.[1]);
    const unknown = flags.filter((flag) => flag && flag !== 'help' && !known.has(flag));
    expect(unknown).toEqual([]);
  });

  test('the tests that docs/measured/hostile.md names are there', () => {
    const all = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
    const tests = new Set(
      all.map((path) =>
        path.replaceAll('\\', '/').replace(/\.(?:timing\.)?(?:test|hostile)\.ts$/, ''),
      ),
    );
    const rows = section(read('docs/measured/hostile.md'), 'figures').split('\n').slice(3);
    const named = rows.flatMap((row) =>
      Array.from((row.split(' | ')[2] ?? '').matchAll(/`([\w./-]+)`/g), ([, name = '']) => name),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !tests.has(name))).toEqual([]);
  });
});

test('docs/chaos.md names the paths that chaos leaves alone', () => {
  const [, listed = ''] =
    /All that reach an endpoint, but ([^]*?)\bof the gateway-api/.exec(read('docs/chaos.md')) ?? [];
  const named = Array.from(listed.matchAll(/`(\/\w+)`/g), ([, path]) => path);
  const paths = endpoints.map(({ path }) => path).filter((path) => !isDisturbed(path, path, []));
  const expected = new Set(['/health', ...paths.map((path) => `/${path.split('/')[1]}`)]);
  expect(new Set(named)).toEqual(expected);
});
