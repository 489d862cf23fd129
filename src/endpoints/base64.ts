import { isUtf8 } from 'node:buffer';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { MEDIA_TYPE } from '../http/media-type.ts';
import { matching, optional, required } from '../server/params.ts';
import { textLike } from '../server/schema.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { percentDecode } from '../http/query.ts';
import { BYTES_TYPE, TEXT_TYPE, reply, type Reply } from '../server/reply.ts';
import { isExecutableType, escapeMarkup, NOSNIFF, nosniffDoc } from '../server/safety.ts';

const MAX_LENGTH = 4 * 1024;

/** Pattern of base64 with digits of this class. Padding is optional (RFC 4648 3.2). */
function base64Pattern(digit: string): string {
  return `(?:${digit}{4})*(?:${digit}{4}|${digit}{3}=?|${digit}{2}(?:==)?)`;
}

// The standard or the URL-safe alphabet, not a mixture (RFC 4648 4, 5).
const ALPHABETS = ['A-Za-z0-9+/', 'A-Za-z0-9_-'];
const PATTERN = `^(?:${ALPHABETS.map((each) => base64Pattern(`[${each}]`)).join('|')})$`;
const OUTSIDE = ALPHABETS.map((each) => new RegExp(`[^${each}]`));

/** Whether text has the pattern, which itself would go back over 2 MiB that are wrong at their end: 46 ms. */
function isBase64(text: string): boolean {
  const length = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  const isPadded = length < text.length;
  if (length === 0 || length % 4 === 1 || (isPadded && text.length % 4 !== 0)) return false;
  const digits = text.slice(0, length);
  return OUTSIDE.some((outside) => !outside.test(digits));
}

function checkLength(length: number, name: string): void {
  if (length <= MAX_LENGTH) return;
  const detail = `${name} has ${length} characters, the maximum is ${MAX_LENGTH}`;
  throw new Problem('invalid-parameter', detail);
}

/** Decodes base64 of any length. Pad bits in the last character are ignored (RFC 4648 3.5). */
export const base64Text = required<Buffer>({ type: 'string', pattern: PATTERN }, (text, name) => {
  if (!isBase64(text)) throw invalidParameter(name, text.slice(0, MAX_LENGTH), 'is not base64');
  return Buffer.from(text, 'base64');
});

/** As `base64Text`, of limited length. */
export const base64 = required<Buffer>(
  {
    ...textLike('d2lyZWJpbg', base64Text.schema),
    maxLength: MAX_LENGTH,
    description: `URL-safe base64, or standard base64 with \`/\` and \`+\` percent-encoded; at most ${MAX_LENGTH} characters.`,
  },
  (text, name) => {
    checkLength(text.length, name);
    return base64Text.parse(text, name);
  },
);

const contentType = optional(
  matching(MEDIA_TYPE, 'is not a media type', {
    description: 'Content-Type of the response.',
    examples: ['text/css'],
  }),
  undefined,
);

/** A reply with decoded content. Markup is escaped in types that browsers execute. */
function decodedReply(bytes: Buffer, type: string | undefined): Reply {
  if (type === undefined)
    return reply(isUtf8(bytes) ? TEXT_TYPE : BYTES_TYPE, bytes, { fields: NOSNIFF });
  return reply(type, isExecutableType(type) ? escapeMarkup(bytes) : bytes, { fields: NOSNIFF });
}

/** Encodes as URL-safe base64 with padding. */
function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** The percent-decoded bytes of the last path segment, which may be no valid UTF-8. */
function lastSegment({ target }: Request): Buffer {
  const path = target?.path ?? '';
  const segment = path.slice(path.lastIndexOf('/') + 1);
  return Buffer.from(percentDecode(segment, 'latin1') ?? segment, 'latin1');
}

/** Any text. The handler reads its bytes from the target, because the parameter is decoded as UTF-8. */
const plainText = required<string>(
  {
    type: 'string',
    description: `The text to encode; at most ${MAX_LENGTH} bytes.`,
    maxLength: MAX_LENGTH,
  },
  (text) => text,
);

const shared = {
  group: 'content',
  query: { 'content-type': contentType },
  responses: {
    200: {
      description: 'The result, sent as `content-type`; by default as text if it is valid UTF-8.',
      content: [TEXT_TYPE, BYTES_TYPE, '*/*'],
      fields: nosniffDoc,
    },
  },
} as const;

interface Decoding {
  readonly params: { readonly text: Buffer };
  readonly query: { readonly 'content-type': string | undefined };
}

const decoding = {
  ...shared,
  summary: 'Decodes base64.',
  params: { text: base64 },
  handle: ({ params, query }: Decoding) => decodedReply(params.text, query['content-type']),
};

export const base64Content: readonly Endpoint[] = [
  endpoint({ ...decoding, path: '/base64/{text}' }),
  endpoint({ ...decoding, path: '/base64/decode/{text}' }),
  endpoint({
    ...shared,
    path: '/base64/encode/{text}',
    summary: 'Encodes the text as URL-safe base64.',
    params: { text: plainText },
    handle({ request, query }) {
      const bytes = lastSegment(request);
      checkLength(bytes.length, 'text');
      // Not escaped: base64 has no markup characters.
      return reply(query['content-type'] ?? TEXT_TYPE, encode(bytes), { fields: NOSNIFF });
    },
  }),
];
