import { isUtf8 } from 'node:buffer';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import type { Request } from '../server/request.ts';
import { MEDIA_TYPE } from '../http/media-type.ts';
import { matching, optional, type Parameter } from '../server/params.ts';
import { invalidParameter, Problem } from '../http/problem.ts';
import { percentDecode } from '../http/query.ts';
import { reply, type Reply } from '../server/reply.ts';
import { isExecutableType, escapeMarkup, NOSNIFF, nosniffDoc } from '../server/safety.ts';

const MAX_LENGTH = 4 * 1024;
const TEXT = 'text/plain; charset=utf-8';
const BYTES = 'application/octet-stream';

/** Padding may be left out (RFC 4648 3.2). */
function base64Pattern(digit: string): string {
  return `(?:${digit}{4})*(?:${digit}{4}|${digit}{3}=?|${digit}{2}(?:==)?)`;
}

// Either alphabet, not both at once (RFC 4648 4, 5).
const BASE64 = new RegExp(
  `^(?:${['[A-Za-z0-9+/]', '[A-Za-z0-9_-]'].map(base64Pattern).join('|')})$`,
);

function checkLength(length: number, name: string): void {
  if (length <= MAX_LENGTH) return;
  const lengths = `${length} characters exceeds the maximum of ${MAX_LENGTH}`;
  throw new Problem('invalid-parameter', `${name} of ${lengths}`);
}

/** Base64 to bytes. Bits left over in the last character do not count (RFC 4648 3.5). */
const base64: Parameter<Buffer> = {
  schema: {
    type: 'string',
    description: `Standard base64, its \`/\` written %2F, or URL-safe; at most ${MAX_LENGTH} characters.`,
    pattern: BASE64.source,
    maxLength: MAX_LENGTH,
    examples: ['d2lyZWJpbg'],
  },
  required: true,
  parse(text = '', name) {
    checkLength(text.length, name);
    if (!BASE64.test(text)) throw invalidParameter(name, text, 'is no base64');
    return Buffer.from(text, 'base64');
  },
};

const contentType = optional(
  matching(MEDIA_TYPE, 'is no media type', {
    description: 'What to call the content.',
    examples: ['text/css'],
  }),
  undefined,
);

/** Content whose type is one that browsers run has references where it had markup. */
function answer(bytes: Buffer, type: string | undefined): Reply {
  if (type === undefined) return reply(isUtf8(bytes) ? TEXT : BYTES, bytes, { fields: NOSNIFF });
  return reply(type, isExecutableType(type) ? escapeMarkup(bytes) : bytes, { fields: NOSNIFF });
}

/** The bytes in the URL-safe alphabet, padded. */
function encoded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** The bytes that the path's last segment stands for, whether they are UTF-8 or not. */
function lastSegment({ target }: Request): Buffer {
  const path = target?.path ?? '';
  const segment = path.slice(path.lastIndexOf('/') + 1);
  return Buffer.from(percentDecode(segment, 'latin1') ?? segment, 'latin1');
}

/** What may be any bytes: the handler reads them. */
const plainText: Parameter<string> = {
  schema: {
    type: 'string',
    description: `What to encode; at most ${MAX_LENGTH} bytes.`,
    maxLength: MAX_LENGTH,
  },
  required: true,
  parse: (text = '') => text,
};

const shared = {
  methods: ['GET'],
  group: 'content',
  query: { 'content-type': contentType },
  responses: {
    200: {
      description: 'As `content-type` says; without it, text where the bytes are valid UTF-8.',
      content: [TEXT, BYTES, '*/*'],
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
  summary: 'What the base64 stands for.',
  params: { text: base64 },
  handle: ({ params, query }: Decoding) => answer(params.text, query['content-type']),
};

export const base64Content: readonly Endpoint[] = [
  endpoint({ ...decoding, id: 'base64', path: '/base64/{text}' }),
  endpoint({ ...decoding, id: 'base64_decode', path: '/base64/decode/{text}' }),
  endpoint({
    ...shared,
    id: 'base64_encode',
    path: '/base64/encode/{text}',
    summary: 'The text in URL-safe base64.',
    params: { text: plainText },
    handle({ request, query }) {
      const bytes = lastSegment(request);
      checkLength(bytes.length, 'text');
      // There is no markup in that alphabet.
      return reply(query['content-type'] ?? TEXT, encoded(bytes), { fields: NOSNIFF });
    },
  }),
];
