import { endpoint, type Endpoint } from '../../server/endpoint.ts';
import { isFieldValue } from '../../http/fields.ts';
import { anyText, optional } from '../../server/params.ts';
import { reply, type Reply } from '../../server/reply.ts';
import { escapeMarkup, NOSNIFF } from '../../server/safety.ts';
import { Problem } from '../../http/problem.ts';
import { TEXT_TYPE } from './answers.ts';
import { isEscaped } from './escaping.ts';

/** Padded, in either alphabet, not both at once. */
function isBase64(text: string): boolean {
  const isMixed = /[+/]/.test(text) && /[_-]/.test(text);
  return text.length % 4 === 0 && !isMixed && /^[A-Za-z0-9+/_-]*={0,2}$/.test(text);
}

function decoded(text: string): Buffer {
  if (!isBase64(text)) throw refused('base64 decode failed: it is no padded base64');
  return Buffer.from(text, 'base64');
}

function encoded(text: string): Buffer {
  const standard = Buffer.from(text).toString('base64');
  return Buffer.from(standard.replaceAll('+', '-').replaceAll('/', '_'), 'latin1');
}

function refused(detail: string): Problem {
  return new Problem('invalid-parameter', detail);
}

function answer(bytes: Buffer, asked: string): Reply {
  const type = isFieldValue(asked) && asked.trim() !== '' ? asked.trim() : TEXT_TYPE;
  return reply(type, isEscaped(type) ? escapeMarkup(bytes) : bytes, { fields: NOSNIFF });
}

interface Asked {
  readonly params: { readonly text: string };
  readonly query: { readonly 'content-type': string };
}

/** @param max bytes of what is transformed */
export function base64(max: number): readonly Endpoint[] {
  const shared = {
    methods: 'any',
    group: 'content',
    query: { 'content-type': optional(anyText('What to call the content.'), '') },
    responses: { 200: { description: 'What it says.', content: [TEXT_TYPE] } },
  } as const;
  const text = anyText('Base64 in either alphabet, or the text to encode.');
  const transforming = (summary: string, transformed: (text: string) => Buffer) => ({
    ...shared,
    summary,
    params: { text },
    handle({ params, query }: Asked): Reply {
      if (Buffer.byteLength(params.text) > max) {
        throw refused(`input data exceeds max length of ${max}`);
      }
      return answer(transformed(params.text), query['content-type']);
    },
  });
  const decoding = transforming('What the base64 stands for.', decoded);
  const encoding = transforming('The text in URL-safe base64.', encoded);
  return [
    endpoint({ ...decoding, id: 'base64', path: '/base64/{text}' }),
    endpoint({ ...decoding, id: 'base64_decode', path: '/base64/decode/{text}' }),
    endpoint({ ...encoding, id: 'base64_encode', path: '/base64/encode/{text}' }),
    endpoint({
      ...shared,
      id: 'base64_operation',
      path: '/base64/{operation}/{text}',
      summary: 'Refuses every other operation.',
      params: { operation: anyText('None that there is.'), text },
      handle({ params: { operation } }) {
        // Those come here where they are switched off.
        const isOff = operation === 'decode' || operation === 'encode';
        throw isOff
          ? new Problem('not-found', `${operation} is switched off`)
          : refused(`invalid operation: ${operation}`);
      },
    }),
  ];
}
