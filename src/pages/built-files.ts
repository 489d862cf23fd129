import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { negotiateCoding } from '../http/codings.ts';
import { evaluatePreconditions, preconditionFailed } from '../http/conditional.ts';
import { fieldValue } from '../http/fields.ts';
import { empty, reply, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';

/** Content codings in which files are sent, in order of preference. */
export const fileCodings = ['br', 'gzip'] as const;

/** File name suffixes by content coding. */
const suffixes = { br: '.br', gzip: '.gz' } as const;
const decode = promisify<Uint8Array, Buffer>(gunzip);

export const IMMUTABLE = 'public, max-age=31536000, immutable';
/** A cache asks by entity tag whether the file is still the same. */
export const REVALIDATE = 'no-cache';

interface File {
  readonly bytes: Uint8Array;
  /** Hash of these bytes, so it is a strong validator. */
  readonly etag: string;
}

interface Sending {
  readonly type: string;
  /** Whether there is a file for each content coding. Otherwise there is one with the path alone. */
  readonly isCoded: boolean;
  /** Fields of every response, Vary among them. */
  readonly fields: readonly string[];
}

/** A directory that `npm run build` makes. What has been requested is kept in memory. */
export class BuiltFiles {
  readonly folder: URL;
  readonly #files = new Map<string, File>();

  /** @param name of the directory in dist/, which is also used when wirebin runs from source */
  constructor(name: string) {
    const dist = import.meta.url.endsWith('.ts') ? '../../dist/' : '../';
    this.folder = new URL(`${dist}${name}/`, import.meta.url);
  }

  /** @param path of a file that exists: it must not be a client's choice */
  read(path: string): Promise<File> {
    return this.#kept(path, () => readFile(new URL(path, this.folder)));
  }

  /**
   * @param path as in `read`
   * @throws Problem precondition-failed
   */
  async reply({ method, fields }: Request, path: string, sending: Sending): Promise<Reply> {
    const accepted = fieldValue(fields, 'accept-encoding');
    const coding = sending.isCoded
      ? (negotiateCoding(accepted, fileCodings) ?? 'identity')
      : undefined;
    const { bytes, etag } = coding ? await this.#readCoded(path, coding) : await this.read(path);
    const common = ['ETag', etag, ...sending.fields];
    switch (evaluatePreconditions(method, fields, { etag })) {
      case 'not-modified':
        return empty(304, common);
      case 'failed':
        throw preconditionFailed(etag, common);
      case 'perform': {
        const isEncoded = coding === 'br' || coding === 'gzip';
        const codingFields = isEncoded ? ['Content-Encoding', coding] : [];
        return reply(sending.type, bytes, { fields: [...common, ...codingFields] });
      }
    }
  }

  /** For `identity`, there may be no file, since few clients want that. */
  #readCoded(path: string, coding: keyof typeof suffixes | 'identity'): Promise<File> {
    if (coding !== 'identity') return this.read(path + suffixes[coding]);
    return this.#kept(path, async () => decode(await readFile(new URL(`${path}.gz`, this.folder))));
  }

  async #kept(path: string, load: () => Promise<Uint8Array>): Promise<File> {
    const known = this.#files.get(path);
    if (known) return known;
    const bytes = await load();
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const file = { bytes, etag };
    this.#files.set(path, file);
    return file;
  }
}
