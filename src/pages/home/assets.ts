import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type BrotliOptions } from 'node:zlib';
import { VARY_BY_CODING } from '../../http/codings.ts';
import type { Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { BuiltFiles, IMMUTABLE, REVALIDATE, type FileCoding } from '../built-files.ts';

const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** Media types of the page's files, by name. */
const types = {
  'page.css': CSS,
  'main.js': JAVASCRIPT,
  'chart.js': JAVASCRIPT,
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

const files = new BuiltFiles('browser');

/** What the page loads. */
export class Assets {
  /** Hash of all files. It is part of their URLs. */
  readonly hash: string;

  private constructor(tags: readonly string[]) {
    const hash = createHash('sha256');
    for (const [at, etag] of tags.entries()) hash.update(`${assetNames[at]} ${etag}\n`);
    this.hash = hash.digest('base64url').slice(0, 12);
  }

  static async load(): Promise<Assets> {
    const read = await Promise.all(assetNames.map((name) => files.read(name)));
    return new Assets(read.map(({ etag }) => etag));
  }

  /**
   * @param hash in the URL; a file under another version's hash must not be cached
   * @throws Problem precondition-failed
   */
  reply(request: Request, name: AssetName, hash: string): Promise<Reply> {
    const cacheControl = hash === this.hash ? IMMUTABLE : REVALIDATE;
    const fields = ['Cache-Control', cacheControl, ...VARY_BY_CODING];
    return files.reply(request, name, { type: types[name], isCoded: true, fields });
  }
}

/** The text of a file, to be included in an HTML report. */
export const assetText = (name: AssetName): string =>
  readFileSync(new URL(name, files.folder), 'utf8');

let loaded: Promise<Assets> | undefined;

/** The assets, read at the first call; at a later one, if that failed, such as while all descriptors were used. */
export function pageAssets(): Promise<Assets> {
  return (loaded ??= Assets.load().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  }));
}

// Takes 2 ms for the page, before which nothing can be shown. 9 would take ten times as long, for 35 bytes less.
const BROTLI_PAGE = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } };

/** Compresses a page that is made for one request: less than files, to save time. */
export function encodePage(html: string, coding: FileCoding): Promise<Uint8Array> {
  switch (coding) {
    case 'br':
      return promisify<string, BrotliOptions, Buffer>(brotliCompress)(html, BROTLI_PAGE);
    case 'gzip':
      return promisify<string, Buffer>(gzip)(html);
  }
}
