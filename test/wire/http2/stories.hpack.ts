import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';

// All stories of http2jp/hpack-test-case: from the folder WIREBIN_HPACK_STORIES, or cloned.

const REPOSITORY = 'https://github.com/http2jp/hpack-test-case';

interface Case {
  readonly wire?: string;
  readonly header_table_size?: number | null;
  readonly headers: readonly Record<string, string>[];
}

const scratch = mkdtempSync(join(tmpdir(), 'hpack-'));
afterAll(() => rmSync(scratch, { recursive: true }));

function storyFolder(): string {
  const given = process.env['WIREBIN_HPACK_STORIES'];
  if (given !== undefined) return given;
  try {
    execFileSync('git', ['clone', '--quiet', '--depth', '1', REPOSITORY, scratch], {
      stdio: 'pipe',
    });
  } catch (error) {
    throw new Error(
      `The stories are missing: ${REPOSITORY} cannot be cloned. WIREBIN_HPACK_STORIES may name a folder with them.`,
      { cause: error },
    );
  }
  return scratch;
}

test('every story decodes to its headers', () => {
  const folder = storyFolder();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /story_\d+\.json$/.test(file) && !file.startsWith('raw-data'))
    .sort();
  expect(files.length).toBeGreaterThan(400);
  let blocks = 0;
  for (const file of files) {
    const { cases } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { cases: Case[] };
    const decoder = new HpackDecoder();
    for (const [at, { wire = '', header_table_size: size, headers }] of cases.entries()) {
      if (typeof size === 'number') decoder.setTableSizeLimit(size);
      const { fields, error } = decoder.decode(Buffer.from(wire, 'hex'));
      expect([file, at, error]).toEqual([file, at, undefined]);
      expect(fields.map(({ name, value }) => [name, value])).toEqual(
        headers.flatMap(Object.entries<string>).map((pair) => pair.map(latin1)),
      );
      blocks++;
    }
  }
  console.log(`${files.length} stories, ${blocks} blocks, 0 differences`);
});

/** The stories are UTF-8. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
