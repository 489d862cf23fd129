import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = new URL('..', import.meta.url);
const page = readFileSync(new URL('ARCHITECTURE.md', root), 'utf8');

/** Paths below `src`, with `/` between their parts. */
const sources = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'));

/** The rooms from the lowest to the highest, as the page has them: `{ a, b } ← c ← d`. */
function rankOfRooms(): Map<string, number> {
  const order = /^(.* ← .*)$/m.exec(page)?.[1] ?? '';
  const ranks = new Map<string, number>();
  for (const [rank, rooms] of order.split(' ← ').entries()) {
    for (const room of rooms.replace(/[{}]/g, '').split(',')) ranks.set(room.trim(), rank);
  }
  return ranks;
}

const ranks = rankOfRooms();

/** A folder below `src`, or a file directly in it. */
const roomOf = (path: string): string => (path.split('/')[0] ?? '').replace(/\.ts$/, '');

/** What each source imports of the others, type imports included. */
const imports = new Map(
  sources.map((path) => {
    const text = readFileSync(new URL(`src/${path}`, root), 'utf8');
    const specifiers = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g)];
    const imported = specifiers.map(([, specifier = '']) =>
      posix.normalize(posix.join(posix.dirname(path), specifier)),
    );
    return [path, imported] as const;
  }),
);

test('the page ranks every room of src', () => {
  expect(ranks.size).toBeGreaterThan(10);
  expect([...new Set(sources.map(roomOf))].filter((room) => !ranks.has(room))).toEqual([]);
});

test('imports go downwards only, type imports included', () => {
  const upwards = [...imports].flatMap(([path, imported]) =>
    imported
      .filter((other) => roomOf(other) !== roomOf(path))
      .filter((other) => (ranks.get(roomOf(other)) ?? 0) >= (ranks.get(roomOf(path)) ?? 0))
      .map((other) => `${path} → ${other}`),
  );
  expect([...imports.values()].flat().length).toBeGreaterThan(500);
  expect(upwards).toEqual([]);
});

test('no cycle of imports, type imports included', () => {
  const state = new Map<string, 'open' | 'done'>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return;
    if (state.get(path) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' → '));
      return;
    }
    state.set(path, 'open');
    for (const other of imports.get(path) ?? []) visit(other, [...trail, path]);
    state.set(path, 'done');
  };
  for (const path of sources) visit(path, []);
  expect(cycles).toEqual([]);
});

test('no source has more than 400 lines', () => {
  const long = sources.filter((path) => {
    const text = readFileSync(new URL(`src/${path}`, root), 'utf8');
    return text.trimEnd().split('\n').length > 400;
  });
  expect(long).toEqual([]);
});

test('what no test is to reach says why', () => {
  const without = sources.filter((path) => {
    const text = readFileSync(new URL(`src/${path}`, root), 'utf8');
    return /(?:istanbul|[cv]8|node:coverage) ignore (?!(?:next|start) -- \w|stop \*\/)/.test(text);
  });
  expect(without).toEqual([]);
});

test('http/, wire/ and quic/ are pure: they import none of the modules of Node that do I/O', () => {
  const io =
    /\bfrom '(?:node:)?(?:fs|net|tls|https?|http2|stream|dgram|dns|child_process|cluster)(?:\/|')/;
  const impure = sources
    .filter((path) => ['http', 'wire', 'quic'].includes(roomOf(path)))
    .filter((path) => {
      const text = readFileSync(new URL(`src/${path}`, root), 'utf8');
      // These only look at what they are given.
      return io.test(
        text.replace(
          /^import \{ (?:(?:isIP(?:v[46])?|BlockList|SocketAddress)(?:, )?)+ \} from 'node:net';$/m,
          '',
        ),
      );
    });
  expect(impure).toEqual([]);
});

test('what a service loads later, or never, is not loaded at its start', () => {
  const loaded = new Set(['cli/run.ts']);
  const later: string[] = [];
  const importsHttp: string[] = [];
  for (const path of loaded) {
    const text = readFileSync(new URL(`src/${path}`, root), 'utf8');
    const relative = (name = ''): string => posix.join(posix.dirname(path), name);
    for (const [, name] of text.matchAll(/^(?:import|export) (?!type)[^;]*from '(\.[^']+)'/gm)) {
      loaded.add(relative(name));
    }
    for (const [, name] of text.matchAll(/(?<!typeof )\bimport\('(\.[^']+)'\)/g)) {
      later.push(relative(name));
    }
    // See net/node-http.ts.
    if (/^import (?!type)[^;]*from 'node:http'/m.test(text)) importsHttp.push(path);
  }
  expect(later).toEqual(expect.arrayContaining(['grpc/calls.ts', 'cluster/primary.ts']));
  expect(later.filter((path) => loaded.has(path))).toEqual([]);
  expect(importsHttp).toEqual([]);
});

test('what browser/ needs of the others imports none of Node', () => {
  const needed = new Set(sources.filter((path) => /^browser\/[^.]+\.ts$/.test(path)));
  const foreign: string[] = [];
  for (const path of needed) {
    const text = readFileSync(new URL(`src/${path}`, root), 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export) (?!type)[^;]*from '([^']+)'/gm)) {
      if (name.startsWith('.')) needed.add(new URL(name, `file:///${path}`).pathname.slice(1));
      else foreign.push(`${path}: ${name}`);
    }
  }
  expect([...needed]).toContain('check/report/results.ts');
  expect(foreign).toEqual([]);
});

describe('tests', () => {
  const tests = readdirSync(new URL('test', root), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => path.replace(/(?:\.timing)?\.test\.ts$/, ''));

  test.each(['http', 'endpoints'])('each source in %s/ has tests of its name', (room) => {
    const named = sources
      .filter((path) => roomOf(path) === room)
      .map((path) => path.replace(/\.ts$/, ''));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !tests.includes(path))).toEqual([]);
  });

  test('each other source has tests of its name, or its folder has tests', () => {
    const folders = new Set(tests.map((path) => posix.dirname(path)));
    const untested = sources.filter((path) => {
      const name = path.replace(/\.ts$/, '');
      return !tests.includes(name) && !folders.has(posix.dirname(name));
    });
    expect(untested).toEqual([]);
  });
});

describe('the tree in ARCHITECTURE.md', () => {
  const tree = page.split('<!-- tree -->')[1]?.split('<!-- /tree -->')[0] ?? '';
  const folders = [
    ...new Set(sources.map((path) => posix.dirname(path)).filter((path) => path !== '.')),
  ];

  test('has a line for each folder of src', () => {
    expect(folders.filter((path) => !tree.includes(`${posix.basename(path)}/ `))).toEqual([]);
  });

  test('names no folder that does not exist', () => {
    const named = [...tree.matchAll(/^ {2,}([\w-]+)\/ /gm)].map(([, name]) => name);
    const existing = new Set(folders.flatMap((path) => path.split('/')));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name = '') => !existing.has(name))).toEqual([]);
  });
});
