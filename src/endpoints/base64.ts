import { isUtf8 } from 'node:buffer';
import { endpoint, type Endpoint } from '../http/endpoint.ts';
import type { Request } from '../http/exchange.ts';
import { isFieldValue } from '../http/fields.ts';
import { parseMediaType } from '../http/media-type.ts';
import { anyText, invalidParameter, oneOf, optional, type Parameter } from '../http/params.ts';
import { percentDecode } from '../http/query.ts';
import { reply, type Reply } from '../http/reply.ts';
import { couldRun, escapeMarkup, NOSNIFF, nosniffDoc } from '../http/safety.ts';
import { Problem } from '../kit/problem.ts';

const MAX_LENGTH = 4 * 1024;
const TEXT = 'text/plain; charset=utf-8';
const OCTETS = 'application/octet-stream';

// Either alphabet, not both at once; padding may be left out (RFC 4648 3.2, 4, 5).
const ALPHABETS = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

function checkLength(length: number, name: string): void {
  if (length <= MAX_LENGTH) return;
  const lengths = `${length} characters exceeds the maximum of ${MAX_LENGTH}`;
  throw new Problem('invalid-parameter', `${name} of ${lengths}`);
}

/** Base64 to octets. Bits left over in the last character do not count (RFC 4648 3.5). */
const base64: Parameter<Buffer> = {
  schema: {
    type: 'string',
    description: `Standard base64, its \`/\` written %2F, or URL-safe; at most ${MAX_LENGTH} characters.`,
    examples: ['d2lyZWJpbg'],
  },
  required: true,
  parse(text = '', name) {
    checkLength(text.length, name);
    const digits = text.replace(/=+$/, '');
    const padded = digits.length < text.length;
    if (!ALPHABETS.test(text) || digits.length % 4 === 1 || (padded && text.length % 4 !== 0)) {
      throw invalidParameter(name, text, 'is no base64');
    }
    return Buffer.from(digits, 'base64');
  },
};

/** A media type as it can be sent. */
const mediaType: Parameter<string> = {
  schema: { type: 'string', description: 'What to call the content.', examples: ['text/css'] },
  required: true,
  parse(text = '', name) {
    if (parseMediaType(text) && isFieldValue(text) && text === text.trim()) return text;
    throw invalidParameter(name, text, 'is no media type');
  },
};
const contentType = optional(mediaType, undefined);

/** Content whose type is one that browsers run has references where it had markup. */
function answer(octets: Buffer, type: string | undefined): Reply {
  if (type === undefined) return reply(isUtf8(octets) ? TEXT : OCTETS, octets, { fields: NOSNIFF });
  return reply(type, couldRun(type) ? escapeMarkup(octets) : octets, { fields: NOSNIFF });
}

/** The octets in the URL-safe alphabet, padded. */
function encoded(octets: Buffer): string {
  return octets.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
}

/** The octets that the path's last segment stands for, whether they are UTF-8 or not. */
function lastSegment({ target }: Request): Buffer {
  const path = target?.path ?? '';
  const segment = path.slice(path.lastIndexOf('/') + 1);
  return Buffer.from(percentDecode(segment, 'latin1') ?? segment, 'latin1');
}

const responses = {
  200: {
    description: 'As `content-type` says; without it, text where the octets are valid UTF-8.',
    content: [TEXT, OCTETS],
    fields: nosniffDoc,
  },
};

export const base64Content: readonly Endpoint[] = [
  endpoint({
    id: 'base64',
    methods: ['GET'],
    path: '/base64/{text}',
    group: 'content',
    summary: 'What the base64 stands for.',
    params: { text: base64 },
    query: { 'content-type': contentType },
    responses,
    handle: ({ params: { text }, query }) => answer(text, query['content-type']),
  }),
  endpoint({
    id: 'base64_operation',
    methods: ['GET'],
    path: '/base64/{operation}/{text}',
    group: 'content',
    summary: 'What the base64 stands for, or the text in URL-safe base64.',
    params: {
      operation: oneOf(['encode', 'decode']),
      text: anyText(`Base64, or the text to encode; at most ${MAX_LENGTH} characters.`),
    },
    query: { 'content-type': contentType },
    responses,
    handle({ request, params: { operation, text }, query }) {
      if (operation === 'decode') return answer(base64.parse(text, 'text'), query['content-type']);
      const octets = lastSegment(request);
      checkLength(octets.length, 'text');
      // There is no markup in that alphabet.
      return reply(query['content-type'] ?? TEXT, encoded(octets), { fields: NOSNIFF });
    },
  }),
];
