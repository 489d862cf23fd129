import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import { isFieldValue } from '../../http/fields.ts';
import { anyText, optional } from '../../server/params.ts';
import { reply, type Reply } from '../../server/reply.ts';
import { escapeMarkup, NOSNIFF } from '../../server/safety.ts';
import { Problem } from '../../http/problem.ts';
import { TEXT_TYPE } from './replies.ts';
import { isEscaped } from './escaping.ts';

/** Padded, in the standard or the URL-safe alphabet, not a mixture. */
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

function invalid(detail: string): Problem {
  return new Problem('invalid-parameter', detail);
}

function bytesReply(bytes: Buffer, contentType: string): Reply {
  const type =
    isFieldValue(contentType) && contentType.trim() !== '' ? contentType.trim() : TEXT_TYPE;
  return reply(type, isEscaped(type) ? escapeMarkup(bytes) : bytes, { fields: NOSNIFF });
}

interface Base64Input {
  readonly params: { readonly text: string };
  readonly query: { readonly 'content-type': string };
}

/** @param max maximum of the text, in bytes */
export function base64(max: number): readonly Endpoint[] {
  const shared = {
    methods: 'any',
    group: 'content',
    query: { 'content-type': optional(anyText('Content-Type of the response.'), '') },
    responses: { 200: { description: 'The result.', content: [TEXT_TYPE] } },
  } as const;
  const text = anyText('Standard or URL-safe base64, or the text to encode.');
  const declaration = (summary: string, transform: (text: string) => Buffer) => ({
    ...shared,
    summary,
    params: { text },
    handle({ params, query }: Base64Input): Reply {
      if (Buffer.byteLength(params.text) > max) {
        throw invalid(`input data exceeds max length of ${max}`);
      }
      return bytesReply(transform(params.text), query['content-type']);
    },
  });
  const decoding = declaration('Decodes base64.', decode);
  const encoding = declaration('Encodes the text as URL-safe base64.', encode);
  return [
    endpoint({ ...decoding, id: 'base64', path: '/base64/{text}' }),
    endpoint({ ...decoding, id: 'base64_decode', path: '/base64/decode/{text}' }),
    endpoint({ ...encoding, id: 'base64_encode', path: '/base64/encode/{text}' }),
    endpoint({
      ...shared,
      id: 'base64_operation',
      path: '/base64/{operation}/{text}',
      summary: 'Rejects any other operation.',
      params: { operation: anyText('An unknown operation.'), text },
      handle({ params: { operation } }) {
        // These match here if their own endpoints are disabled.
        const isDisabled = operation === 'decode' || operation === 'encode';
        throw isDisabled
          ? new Problem('not-found', `${operation} is disabled`)
          : invalid(`invalid operation: ${operation}`);
      },
    }),
  ];
}
