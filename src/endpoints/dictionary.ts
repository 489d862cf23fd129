import { createHash } from 'node:crypto';
import { codingDocs, negotiateEncoder } from '../http/codings.ts';
import { hasDictionary, useAsDictionary } from '../http/compression-dictionary.ts';
import {
  dictionaryEncoders,
  dictionaryHash,
  VARY_BY_DICTIONARY,
} from '../server/dictionary-codings.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { described, int, matching, optional } from '../server/params.ts';
import { pullBytes } from '../server/payload.ts';
import { TEXT_TYPE, type Reply } from '../server/reply.ts';
import { inThread, takesLong } from '../server/request-cost.ts';
import type { Request } from '../server/request.ts';
import { representationReply, representationResponses } from '../server/representation.ts';

const LINES = 128;
/** Hexadecimal digits in a line. */
const DIGITS = 64;
/** In each group of this many lines, the text differs from the dictionary in the last. */
const CHANGED = 16;
const DAY = 86_400;

/** Without characters that a pattern of URLs or a string of a structured field would have to escape. */
const name = matching(/^[\w-]{1,64}$/, 'is not 1 to 64 letters, digits, hyphens or underscores', {
  description: 'Any name: each has its own dictionary.',
  examples: ['a'],
});

const match = matching(/^[!-~]{1,256}$/, 'is not 1 to 256 visible ASCII characters', {
  description: 'URL pattern, relative to this URL. Default: `{name}/*`.',
});

const destinations = matching(/^[a-z]{1,32}(?:,[a-z]{1,32}){0,15}$/, 'is not a list of words', {
  description: 'Request destinations, such as `document,script`. Default: any.',
});

/** Lines of digits that no coding without the dictionary shortens to less than half. */
function linesOf(text: string): string[] {
  const hash = createHash('shake256', { outputLength: (LINES * DIGITS) / 2 });
  const digits = hash.update(text).digest('hex');
  return Array.from({ length: LINES }, (_, at) => digits.slice(at * DIGITS, (at + 1) * DIGITS));
}

function contentOf(lines: readonly string[]): Buffer {
  return Buffer.from(`${lines.join('\n')}\n`);
}

/** The text that the dictionary compresses: a later version of it. */
function textOf(dictionary: readonly string[], named: string): Buffer {
  const lines = dictionary.map((line, at) =>
    (at + 1) % CHANGED === 0 ? `Line ${at + 1} of ${named} is another one.` : line,
  );
  return contentOf(lines);
}

/**
 * The reply with a text, which supports ranges. It has no Last-Modified: that would be the same for each coding.
 *
 * @param coding of the content
 */
function textReply(
  request: Request,
  content: Uint8Array,
  fields: readonly string[],
  coding?: string,
): Reply {
  const etag = `"${dictionaryHash(content).toString('base64url').slice(0, 22)}"`;
  return representationReply(request, {
    type: TEXT_TYPE,
    length: content.length,
    validators: { etag },
    coding,
    fields,
    slice: ({ first, last }) => pullBytes(content.subarray(first, last + 1)),
  });
}

const etagDoc = { ETag: 'Strong.' };

const useDocs = {
  'Use-As-Dictionary': '`match`, `match-dest` if it is given, and `id`: the name.',
  'Cache-Control': '`max-age`',
};

const textDocs = {
  ...codingDocs.fields,
  Vary: '`Accept-Encoding, Available-Dictionary`',
  'Content-Encoding': 'dcb, dcz, br, zstd, gzip or deflate; none for `identity`.',
};

export const dictionary: readonly Endpoint[] = [
  endpoint({
    path: '/dictionary/{name}',
    group: 'content',
    summary: 'A compression dictionary (RFC 9842) for responses of /dictionary/{name}/compressed.',
    params: { name },
    query: {
      match: optional(match, undefined),
      'match-dest': optional(destinations, undefined),
      max_age: described(
        'max-age of Cache-Control, in seconds: how long clients may use it.',
        optional(int({ min: 0, max: DAY }), DAY),
      ),
    },
    responses: representationResponses(
      { description: 'The dictionary.', content: [TEXT_TYPE], fields: useDocs },
      etagDoc,
    ),
    handle({ request, params, query: { match: pattern, max_age: maxAge, ...query } }) {
      const use = useAsDictionary({
        match: pattern ?? `${params.name}/*`,
        matchDestinations: query['match-dest']?.split(',') ?? [],
        id: params.name,
      });
      const fields = ['Cache-Control', `max-age=${maxAge}`, 'Use-As-Dictionary', use];
      return textReply(request, contentOf(linesOf(params.name)), fields);
    },
  }),
  endpoint({
    path: '/dictionary/{name}/compressed',
    group: 'content',
    summary:
      'A text similar to /dictionary/{name}, compressed with it by dcb or dcz (RFC 9842 4, 5) if Available-Dictionary ' +
      'has its hash and Accept-Encoding allows one; otherwise as /compressed. dcz needs Node 22.19 or later.',
    params: { name },
    responses: {
      ...representationResponses(
        { description: 'The text.', content: [TEXT_TYPE], fields: textDocs },
        etagDoc,
      ),
      406: { ...codingDocs[406], fields: { Vary: textDocs.Vary } },
    },
    async handle({ request, params }) {
      const lines = linesOf(params.name);
      const [known, content] = [contentOf(lines), textOf(lines, params.name)];
      const hash = dictionaryHash(known);
      const isAvailable = hasDictionary(request.fields, hash, params.name);
      const own = isAvailable ? dictionaryEncoders(known, hash) : {};
      const accepted = negotiateEncoder(request.fields, own, VARY_BY_DICTIONARY);
      if (!accepted) return textReply(request, content, VARY_BY_DICTIONARY);
      const { coding, encode } = accepted;
      const encoded = await inThread(request, () => encode(content), takesLong(request, 0));
      return textReply(request, encoded, VARY_BY_DICTIONARY, coding);
    },
  }),
];
