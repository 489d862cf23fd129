import { createHash } from 'node:crypto';
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

/** The files of the page, by name. */
const types = {
  'page.css': CSS,
  'main.js': JAVASCRIPT,
  'parts.js': JAVASCRIPT,
  'copy.js': JAVASCRIPT,
  'dom.js': JAVASCRIPT,
  'try.js': JAVASCRIPT,
  'result.js': JAVASCRIPT,
  'search.js': JAVASCRIPT,
  'request.js': JAVASCRIPT,
  'exchange.js': JAVASCRIPT,
  'preview.js': JAVASCRIPT,
  'tap.js': JAVASCRIPT,
  'tap-event.js': JAVASCRIPT,
  'hour.js': JAVASCRIPT,
  'history.js': JAVASCRIPT,
  'chart.js': JAVASCRIPT,
  'uplot.js': JAVASCRIPT,
  'report.js': JAVASCRIPT,
  'report-rows.js': JAVASCRIPT,
} as const;

export type AssetName = keyof typeof types;
export const assetNames: readonly AssetName[] = Object.keys(types).filter(isAssetName);

export function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(types, name);
}

/** Codings that assets are sent in, in order of preference. */
export const assetCodings = ['br', 'gzip'] as const;
type Coding = (typeof assetCodings)[number];
type AssetCoding = Coding | 'identity';

/** What `npm run build` has made of src/browser; the sources themselves are served from there too. */
const folder = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/browser/' : '../../browser/',
  import.meta.url,
);

const IMMUTABLE = 'public, max-age=31536000, immutable';

/** The files of the page in memory. Each is read and compressed once, when it is first requested. */
export class Assets {
  /** A hash of all files, which is part of their URLs. */
  readonly hash: string;
  readonly #files: ReadonlyMap<AssetName, Uint8Array>;
  readonly #encoded = new Map<string, Promise<Encoded>>();

  private constructor(files: ReadonlyMap<AssetName, Uint8Array>) {
    const hash = createHash('sha256');
    for (const [name, bytes] of files) hash.update(`${name} ${bytes.length}\n`).update(bytes);
    this.hash = hash.digest('base64url').slice(0, 12);
    this.#files = files;
  }

  static async load(): Promise<Assets> {
    const files = assetNames.map(
      async (name) => [name, await readFile(new URL(name, folder))] as const,
    );
    return new Assets(new Map(await Promise.all(files)));
  }

  /**
   * @param hash as in the URL; a file under the hash of another version is not to be cached
   * @throws Problem precondition-failed
   */
  async reply(
    { method, fields }: Request,
    name: AssetName,
    hash: string,
    coding: AssetCoding,
  ): Promise<Reply> {
    const key = `${name} ${coding}`;
    const encoding = this.#encoded.get(key) ?? encode(this.#files.get(name), coding);
    this.#encoded.set(key, encoding);
    const { bytes, etag } = await encoding;
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

let loaded: Promise<Assets> | undefined;

/** Reads them at the first call. */
export function pageAssets(): Promise<Assets> {
  return (loaded ??= Assets.load());
}

interface Encoded {
  readonly bytes: Uint8Array;
  /** Of the encoded bytes, so that it is strong. */
  readonly etag: string;
}

async function encode(file: Uint8Array | undefined, coding: AssetCoding): Promise<Encoded> {
  const bytes = await compress(file ?? new Uint8Array(), coding);
  return {
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}

async function compress(bytes: Uint8Array, coding: AssetCoding): Promise<Uint8Array> {
  switch (coding) {
    case 'br':
      // Of the highest quality, by default.
      return promisify(brotliCompress)(bytes);
    case 'gzip':
      return promisify(gzip)(bytes, { level: 9 });
    case 'identity':
      return bytes;
  }
}

// Costs 2 ms for the page, of which nothing can be shown before; 9 costs ten times as much, for 35 bytes less.
const BROTLI_PAGE = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } };

/** Compresses a page that is made for one request: less than the files, in little time. */
export function encodePage(html: string, coding: Coding): Promise<Uint8Array> {
  switch (coding) {
    case 'br':
      return promisify<string, BrotliOptions, Buffer>(brotliCompress)(html, BROTLI_PAGE);
    case 'gzip':
      return promisify<string, Buffer>(gzip)(html);
  }
}
