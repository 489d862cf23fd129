import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { responseIndexing } from '../../../src/protocols/http2-engine/response-section.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { HpackEncoder } from '../../../src/wire/http2/hpack-encoder.ts';
import { codeByNghttp2 } from './_nghttp2.ts';

// Our blocks of the stories of http2jp/hpack-test-case in the folder WIREBIN_HPACK_STORIES, decoded by nghttp2 and by us,
// and their size beside those of nghttp2. Without the folder, of stories in the same shape that are generated.

/** One field section of a connection. */
interface Section {
  /** SETTINGS_HEADER_TABLE_SIZE, if it is acknowledged before. */
  readonly limit: number | undefined;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

interface Story {
  readonly name: string;
  readonly sections: readonly Section[];
}

interface Case {
  readonly header_table_size?: number | null;
  readonly headers: readonly Record<string, string>[];
}

/** Those whose table keeps its size, and those whose table changes it. */
const FOLDERS = ['raw-data', 'nghttp2-change-table-size'];

function given(folder: string): Story[] {
  const files = FOLDERS.flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => /^story_\d+\.json$/.test(file))
      .map((file) => join(name, file)),
  );
  return files.map((name) => {
    const { cases } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { cases: Case[] };
    const sections = cases.map(({ header_table_size: size, headers }) => ({
      limit: size ?? undefined,
      // The stories are UTF-8.
      fields: headers
        .flatMap(Object.entries<string>)
        .map(([field, value]): [string, string] => [latin1(field), latin1(value)]),
    }));
    return { name, sections };
  });
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
const date = fc
  .nat(59)
  .map((second) => `Sat, 03 Nov 2012 13:04:${String(second).padStart(2, '0')} GMT`);
const path = fc.tuple(word, word).map(([first, second]) => `/${first}/${second}.png?q=1`);
const type = fc.constantFrom('text/html; charset=utf-8', 'image/png', 'application/javascript');
const cookie = fc.tuple(word, word).map(([id, value]) => `id=${id}; session=${value}`);

const optional = (name: string, value: string | null): [string, string][] =>
  value === null ? [] : [[name, value]];

/** Requests of a browser to a few hosts. */
const requests = fc
  .record({
    path,
    host: fc.constantFrom('www.example.com', 'img.example.com', 'ads.example.net'),
    referer: fc.constantFrom('http://www.example.com/', 'http://www.example.com/a'),
    cookie: fc.option(cookie),
  })
  .map(({ path: target, host, referer, cookie: value }) =>
    (
      [
        [':method', 'GET'],
        [':scheme', 'http'],
        [':authority', host],
        [':path', target],
        ['user-agent', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.8; rv:16.0) Firefox/16.0'],
        ['accept', 'image/png,image/*;q=0.8,*/*;q=0.5'],
        ['accept-language', 'en-US,en;q=0.5'],
        ['referer', referer],
      ] satisfies Section['fields']
    ).concat(optional('cookie', value)),
  );
const responses = fc
  .record({ date, type, length: fc.nat(50_000), etag: fc.option(word), cookie: fc.option(cookie) })
  .map(({ date: now, type: media, length, etag, cookie: value }) =>
    (
      [
        [':status', '200'],
        ['date', now],
        ['server', 'Apache'],
        ['content-type', media],
        ['content-length', String(length)],
        ['cache-control', 'public, max-age=31536000'],
      ] satisfies Section['fields']
    ).concat(optional('etag', etag), optional('set-cookie', value)),
  );
const limits = fc.oneof(
  { weight: 20, arbitrary: fc.constant(undefined) },
  fc.constantFrom(0, 100, 1365, 2730, 4096),
);

const sectionsOf = (fields: fc.Arbitrary<Section['fields']>): fc.Arbitrary<Section[]> =>
  fc.array(fc.record({ limit: limits, fields }), { minLength: 50, maxLength: 300, size: 'max' });

function generated(): Story[] {
  const all = fc.oneof(sectionsOf(requests), sectionsOf(responses));
  const list = fc.sample(all, { numRuns: 40, seed: 49 });
  return list.map((sections, at) => ({ name: `generated story ${at}`, sections }));
}

const hex = (text: string): string => Buffer.from(text, 'latin1').toString('hex');
const pairsOf = ({ fields }: Section): string =>
  fields.map(([name, value]) => `${hex(name)}:${hex(value)}`).join(' ');
const limitOf = ({ limit }: Section): string[] => (limit === undefined ? [] : [`limit ${limit}`]);

/** Our blocks of a story, in hex. */
function encoded({ sections }: Story): string[] {
  // As a server of wirebin has it.
  const isOfServer = sections.some(({ fields }) => fields[0]?.[0] === ':status');
  const encoder = new HpackEncoder(isOfServer ? { indexing: responseIndexing } : {});
  return sections.map(({ limit, fields }) => {
    if (limit !== undefined) encoder.setTableSizeLimit(limit);
    return encoder.encode(fields.flat()).toString('hex');
  });
}

/** What our decoder makes of blocks, in the words of the script. */
function decoded({ sections }: Story, blocks: readonly string[]): string[] {
  const decoder = new HpackDecoder();
  return blocks.map((block, at) => {
    const limit = sections[at]?.limit;
    if (limit !== undefined) decoder.setTableSizeLimit(limit);
    const { fields, error } = decoder.decode(Buffer.from(block, 'hex'));
    const pairs = fields.map(({ name, value }): [string, string] => [name, value]);
    return error ? 'error' : `ok ${pairsOf({ limit, fields: pairs })}`.trimEnd();
  });
}

const folder = process.env['WIREBIN_HPACK_STORIES'];
const stories = folder === undefined ? generated() : given(folder);

test('our blocks are decoded by nghttp2 and by us, and hardly larger than those of nghttp2', () => {
  const all = stories.map(({ name, sections }) => ({
    name,
    sections,
    blocks: encoded({ name, sections }),
  }));
  const { library, lines } = codeByNghttp2(
    all.flatMap(({ sections, blocks }) => {
      const read = sections.flatMap((each, at) => [...limitOf(each), `block ${blocks[at]}`]);
      const write = sections.flatMap((each) => [...limitOf(each), `fields ${pairsOf(each)}`]);
      return ['new', ...read, 'new', ...write];
    }),
  );
  let at = 0;
  const sizes = all.map(({ name, sections, blocks }) => {
    const read = lines.slice(at, at + blocks.length);
    const written = lines.slice(at + blocks.length, at + 2 * blocks.length);
    at += 2 * blocks.length;
    const expected = sections.map((each) => `ok ${pairsOf(each)}`.trimEnd());
    expect([name, read]).toEqual([name, expected]);
    expect([name, decoded({ name, sections }, blocks)]).toEqual([name, expected]);
    return { name, ours: blocks.join('').length / 2, theirs: written.join('').length / 2 };
  });
  const sum = (of: 'ours' | 'theirs'): number => sizes.reduce((total, each) => total + each[of], 0);
  const ratios = sizes.map(({ ours, theirs }) => ours / theirs);
  const which = folder === undefined ? 'generated stories' : 'stories';
  console.log(
    `${sizes.length} ${which}, ${at / 2} blocks: ${(sum('ours') / sum('theirs')).toFixed(3)} of the size of ${library}, ` +
      `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)} of one`,
  );
  expect(at / 2).toBeGreaterThan(3000);
  expect(sizes.filter(({ ours, theirs }) => ours > 1.05 * theirs)).toEqual([]);
});
