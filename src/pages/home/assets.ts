import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { VARY_BY_CODING } from '../../http/codings.ts';
import type { Reply } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { BuiltFiles, IMMUTABLE, REVALIDATE } from '../built-files.ts';

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
  'websocket.js': JAVASCRIPT,
} as const;

export type AssetName = keyof typeof types;
export const assetNames: readonly AssetName[] = Object.keys(types).filter(isAssetName);

export function isAssetName(name: string): name is AssetName {
  return Object.hasOwn(types, name);
}

const files = new BuiltFiles('browser');

let hash: string | undefined;

/** Hash of all files, which is part of their URLs. They are read at the first call that can read them. */
export async function assetsHash(): Promise<string> {
  if (hash !== undefined) return hash;
  const read = await Promise.all(assetNames.map((name) => files.read(name)));
  const tags = read.map(({ etag }, at) => `${assetNames[at]} ${etag}\n`);
  return (hash = createHash('sha256').update(tags.join('')).digest('base64url').slice(0, 12));
}

/**
 * @param version the hash in the URL; a file under another version's must not be cached
 * @throws Problem precondition-failed
 */
export async function assetReply(
  request: Request,
  name: AssetName,
  version: string,
): Promise<Reply> {
  const cacheControl = version === (await assetsHash()) ? IMMUTABLE : REVALIDATE;
  const fields = ['Cache-Control', cacheControl, ...VARY_BY_CODING];
  return files.reply(request, name, { type: types[name], isCoded: true, fields });
}

/** The text of a file that HTML reports include. */
export const includedText = (name: 'html-report.css' | 'result-filter.js'): string =>
  readFileSync(new URL(name, files.folder), 'utf8');
