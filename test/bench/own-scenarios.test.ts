import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readBenchOptions } from '../../src/bench/options.ts';
import { ownScenarios } from '../../src/bench/own-scenarios.ts';
import { requestText } from '../../src/bench/scenarios.ts';

const folder = mkdtempSync(join(tmpdir(), 'wirebin-bench-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(content: string): string {
  const path = join(folder, 'file');
  writeFileSync(path, content);
  return path;
}

const own = (...args: readonly string[]) => ownScenarios(readBenchOptions(args, {}).options);

test('a request by options', () => {
  expect(own()).toEqual([]);
  const [request] = own('--path', '/get?a=b,c', '--field', 'X-A: b, c', '--field', 'x-d:e');
  expect(request).toMatchObject({
    id: 'request',
    method: 'GET',
    path: '/get?a=b,c',
    fields: [
      ['x-a', 'b, c'],
      ['x-d', 'e'],
    ],
  });
  expect(own('--path', '/', '--content', 'a', '--status', '201')).toMatchObject([
    { method: 'POST', content: Buffer.from('a'), status: 201 },
  ]);
  expect(own('--path', '/', '--method', 'PUT', '--content', `@${file('b')}`)).toMatchObject([
    { method: 'PUT', content: Buffer.from('b') },
  ]);
});

test('a mix of requests', () => {
  const [mixed, ...others] = own(
    '--mixed',
    file(`[
      { "path": "/get", "weight": 3, "fields": { "X-A": "b" } },
      { "path": "/post", "content": "abc", "status": 404 }
    ]`),
  );
  expect(others).toEqual([]);
  if (!mixed) throw new Error('there is no scenario');
  expect(requestText(mixed)).toBe(
    '3 GET /get, with 1 field of 4 bytes; 1 POST /post with 3 bytes, for 404',
  );
  expect(mixed).toMatchObject({
    id: 'mixed',
    fields: [['x-a', 'b']],
    others: [{ status: 404, content: Buffer.from('abc') }],
  });
});

test.each([
  ['wieght', "has the member 'wieght': did you mean weight?"],
  ['body', "has the member 'body': the members are path, method, fields, content, status, weight"],
])('a mix with the member %s is refused', (name, message) => {
  const text = JSON.stringify([{ path: '/get' }, { path: '/get', [name]: 2 }]);
  expect(() => own('--mixed', file(text))).toThrow(message);
});

test.each([
  [['--method', 'GET'], '--method, --field, --content and --status require --path'],
  [['--path', 'get'], "--path cannot have the path 'get'"],
  [['--path', '/a b'], "--path cannot have the path '/a b'"],
  [['--path', '/', '--method', 'A B'], "--path cannot have the method 'A B'"],
  [['--path', '/', '--field', 'a b: c'], "--path cannot have the field 'a b: c'"],
  [['--path', '/', '--field', 'Host: c'], "--path cannot have the field 'host: c'"],
  [['--path', '/', '--field', 'a: \u20ac'], '--path cannot have the field'],
  [['--path', '/', '--content', '@/no/file'], '/no/file cannot be used'],
])('%j is refused', (args, message) => {
  expect(() => own(...args)).toThrow(message);
});

test.each([
  ['{', 'is no JSON'],
  ['[]', 'has no request'],
  ['{}', 'must be an array'],
  ['[{}]', 'must be an array'],
  ['[{ "path": "/", "weight": 0 }]', 'weight from 1'],
  ['[{ "path": "/", "fields": { "te": "a" } }]', "cannot have the field 'te: a'"],
])('a mix %s is refused', (content, message) => {
  expect(() => own('--mixed', file(content))).toThrow(message);
});
