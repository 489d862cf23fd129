import { createHash } from 'node:crypto';
import { zstdWithDictionary, type Encode } from '../http/codings.ts';
import { encodeWithDictionary } from '../wire/brotli/encoder.ts';

/** Field of responses that may be coded with a dictionary (RFC 9842 6.2). */
export const VARY_BY_DICTIONARY = ['Vary', 'Accept-Encoding, Available-Dictionary'] as const;

/** The first bytes of the content, before the hash of the dictionary (RFC 9842 4, 5). For zstd it is a skippable frame. */
const MAGIC = {
  dcb: Buffer.from('ff444342', 'hex'),
  dcz: Buffer.from('5e2a4d1820000000', 'hex'),
} as const;

export function dictionaryHash(dictionary: Uint8Array): Buffer {
  return createHash('sha256').update(dictionary).digest();
}

/**
 * The content codings with a dictionary (RFC 9842 4, 5), in order of preference. dcz only if this Node can.
 *
 * @param hash as `dictionaryHash` returns it
 */
export function dictionaryEncoders(
  dictionary: Uint8Array,
  hash: Uint8Array,
): Readonly<Record<string, Encode>> {
  const zstd = zstdWithDictionary(dictionary);
  return {
    dcb: async (content) => {
      const encoded = encodeWithDictionary(Buffer.from(content), dictionary);
      return Buffer.concat([MAGIC.dcb, hash, encoded]);
    },
    ...(zstd && {
      dcz: async (content) => Buffer.concat([MAGIC.dcz, hash, await zstd(content)]),
    }),
  };
}
