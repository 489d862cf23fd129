import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type BrotliOptions } from 'node:zlib';
import { VARY_BY_CODING } from '../../http/codings.ts';
import { evaluatePreconditions } from '../../http/conditional.ts';
import { Problem } from '../../http/problem.ts';
import { empty, reply, type Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';

const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Media types of the page's files, by name. */
const types = {
  'page.css': CSS,
  'main.js': JAVASCRIPT,
  'element.js': JAVASCRIPT,
  'tap.js': JAVASCRIPT,
  'hour.js': JAVASCRIPT,
  'report.js': JAVASCRIPT,
  'result-filter.js': JAVASCRIPT,
} as const;

export type AssetName = keyof typeof types;
export const assetNames: readonly AssetName[] = Object.keys(types).filter(isAssetName);

export function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(types, name);
}

/** Content codings in which assets are sent, in order of preference. */
export const assetCodings = ['br', 'gzip'] as const;
type Coding = (typeof assetCodings)[number];
type AssetCoding = Coding | 'identity';

/** File name suffixes by content coding. */
const suffixes = { br: '.br', gzip: '.gz', identity: '' } as const;

/** Output of `npm run build` for src/browser, which is also used when wirebin runs from source. */
const folder = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/browser/' : '../../browser/',
  import.meta.url,
);

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The page's files in memory. Each is read for a content coding when it is first requested. */
export class Assets {
  /** Hash of all files. It is part of their URLs. */
  readonly hash: string;
  readonly #files = new Map<string, File>();

  private constructor(files: readonly File[]) {
    const hash = createHash('sha256');
    for (const [at, { etag }] of files.entries()) hash.update(`${assetNames[at]} ${etag}\n`);
    this.hash = hash.digest('base64url').slice(0, 12);
  }

  static async load(): Promise<Assets> {
    return new Assets(await Promise.all(assetNames.map(read)));
  }

  /**
   * @param hash in the URL; a file under another version's hash must not be cached
   * @throws Problem precondition-failed
   */
  async reply(
    { method, fields }: Request,
    name: AssetName,
    hash: string,
    coding: AssetCoding,
  ): Promise<Reply> {
    const path = name + suffixes[coding];
    const file = this.#files.get(path) ?? (await read(path));
    this.#files.set(path, file);
    const { bytes, etag } = file;
    const cacheControl = hash === this.hash ? IMMUTABLE : 'no-cache';
    const common = ['ETag', etag, 'Cache-Control', cacheControl, ...VARY_BY_CODING];
    const codingFields = coding === 'identity' ? [] : ['Content-Encoding', coding];
    switch (evaluatePreconditions(method, fields, { etag })) {
      case 'not-modified':
        return empty(304, common);
      case 'failed':
        throw new Problem('precondition-failed', `the current entity tag is ${etag}`);
      case 'perform':
        return reply(types[name], bytes, { fields: [...common, ...codingFields] });
    }
  }
}

/** The text of a file, to be included in an HTML report. */
export const assetText = (name: AssetName): string => readFileSync(new URL(name, folder), 'utf8');

let loaded: Promise<Assets> | undefined;

/** The assets, read at the first call; at a later one, if that failed, such as while all descriptors were used. */
export function pageAssets(): Promise<Assets> {
  return (loaded ??= Assets.load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  }));
}

interface File {
  readonly bytes: Uint8Array;
  /** Hash of these bytes, so it is a strong validator. */
  readonly etag: string;
}

async function read(path: string): Promise<File> {
  const bytes = await readFile(new URL(path, folder));
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}

// Takes 2 ms for the page, before which nothing can be shown. 9 would take ten times as long, for 35 bytes less.
const BROTLI_PAGE = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } };

/** Compresses a page that is made for one request: less than files, to save time. */
export function encodePage(html: string, coding: Coding): Promise<Uint8Array> {
  switch (coding) {
    case 'br':
      return promisify<string, BrotliOptions, Buffer>(brotliCompress)(html, BROTLI_PAGE);
    case 'gzip':
      return promisify<string, Buffer>(gzip)(html);
  }
}
