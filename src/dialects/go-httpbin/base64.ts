import { endpoint, override, type Endpoint, type Override } from '../../server/endpoint.ts';
import { isFieldValue } from '../../http/syntax.ts';
import { anyText, optional } from '../../server/params.ts';
import { reply, TEXT_TYPE, type Reply } from '../../server/reply.ts';
import { escapeMarkup, NOSNIFF } from '../../server/safety.ts';
import { invalid, Problem } from '../../http/problem.ts';
import { isEscaped } from './replies.ts';

/** Whether text is padded base64, in the standard or the URL-safe alphabet, but not a mixture. */
function isBase64(text: string): boolean {
  const isMixed = /[+/]/.test(text) && /[_-]/.test(text);
  return text.length % 4 === 0 && !isMixed && /^[A-Za-z0-9+/_-]*={0,2}$/.test(text);
}

function decode(text: string): Buffer {
  if (!isBase64(text)) throw invalid('base64 decode failed: not padded base64');
  return Buffer.from(text, 'base64');
}

function encode(text: string): Buffer {
  const standard = Buffer.from(text).toString('base64');
  return Buffer.from(standard.replaceAll('+', '-').replaceAll('/', '_'), 'latin1');
}

function bytesReply(bytes: Buffer, contentType: string): Reply {
  const type =
    isFieldValue(contentType) && contentType.trim() !== '' ? contentType.trim() : TEXT_TYPE;
  return reply(type, isEscaped(type) ? escapeMarkup(bytes) : bytes, { fields: NOSNIFF });
}

const query = { 'content-type': optional(anyText('Content-Type of the response.'), '') };
const text = anyText('Standard or URL-safe base64, or the text to encode.');
const responses = { 200: { description: 'The result.', content: [TEXT_TYPE] } };

interface Base64Input {
  readonly params: { readonly text: string };
  readonly query: { readonly 'content-type': string };
}

/** @param max maximum bytes of the text */
export function base64(max: number): readonly Override[] {
  const changes = (transform: (text: string) => Buffer) => ({
    params: { text },
    query,
    responses,
    handle({ params, query: given }: Base64Input): Reply {
      if (Buffer.byteLength(params.text) > max) {
        throw invalid(`input data exceeds max length of ${max}`);
      }
      return bytesReply(transform(params.text), given['content-type']);
    },
  });
  return [
    override('/base64/{text}', changes(decode)),
    override('/base64/decode/{text}', changes(decode)),
    override('/base64/encode/{text}', changes(encode)),
  ];
}

export const unknownOperation: Endpoint = endpoint({
  id: 'base64_operation',
  methods: 'any',
  path: '/base64/{operation}/{text}',
  group: 'content',
  summary: 'Rejects any other operation.',
  params: { operation: anyText('An unknown operation.'), text },
  query,
  responses,
  handle({ params: { operation } }) {
    // This path matches them only if their own endpoints are disabled.
    const isDisabled = operation === 'decode' || operation === 'encode';
    throw isDisabled
      ? new Problem('not-found', `${operation} is disabled`)
      : invalid(`invalid operation: ${operation}`);
  },
});
