import { isUtf8 } from 'node:buffer';
import { endpoint } from '../http/endpoint.ts';
import { invalidParameter, type Parameter } from '../http/params.ts';
import { reply } from '../http/reply.ts';
import { Problem } from '../kit/problem.ts';

const MAX_LENGTH = 4 * 1024;

// Either alphabet, not both at once; padding may be left out (RFC 4648 3.2, 4, 5).
const ALPHABETS = /^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)={0,2}$/;

/** Base64 to octets. Bits left over in the last character do not count (RFC 4648 3.5). */
const base64: Parameter<Buffer> = {
  schema: {
    type: 'string',
    description: `Standard base64, its \`/\` written %2F, or URL-safe; at most ${MAX_LENGTH} characters.`,
    examples: ['d2lyZWJpbg'],
  },
  required: true,
  parse(text = '', name) {
    if (text.length > MAX_LENGTH) {
      const lengths = `${text.length} characters exceeds the maximum of ${MAX_LENGTH}`;
      throw new Problem('invalid-parameter', `${name} of ${lengths}`);
    }
    const digits = text.replace(/=+$/, '');
    const padded = digits.length < text.length;
    if (!ALPHABETS.test(text) || digits.length % 4 === 1 || (padded && text.length % 4 !== 0)) {
      throw invalidParameter(name, text, 'is no base64');
    }
    return Buffer.from(digits, 'base64');
  },
};

export const base64Content = endpoint({
  id: 'base64',
  methods: ['GET'],
  path: '/base64/{text}',
  group: 'content',
  summary: 'What the base64 stands for.',
  params: { text: base64 },
  responses: {
    200: {
      description: 'Text where the octets are valid UTF-8.',
      content: ['text/plain; charset=utf-8', 'application/octet-stream'],
    },
  },
  handle: ({ params: { text } }) =>
    reply(isUtf8(text) ? 'text/plain; charset=utf-8' : 'application/octet-stream', text),
});
