import { MEDIA_TYPE } from '../../http/media-type.ts';
import { invalidParameter } from '../../http/problem.ts';
import { isToken, trimOws } from '../../http/syntax.ts';
import type { Values } from '../../server/parse-parameters.ts';
import {
  anyText,
  described,
  duration,
  int,
  matching,
  oneOf,
  optional,
  repeated,
  required,
  type Parameter,
} from '../../server/params.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import { TEXT, textLike } from '../../server/schema.ts';
import { DEFAULT_MAX_FRAME_SIZE } from '../../wire/http2/frame.ts';
import { base64Text } from '../base64.ts';
import { delayParameter } from '../delay.ts';
import { codesParameter } from '../informational.ts';
import { distributionParameter } from '../status.ts';
import { DAMAGES } from './damage.ts';
import { faultParameter } from './fault.ts';

/** A field line: name and value, one character per byte. */
export type Field = readonly [name: string, value: string];

/** Maximum bytes of a piece: as many as a DATA frame may have (RFC 9113 4.2). */
const MAX_CHUNK = DEFAULT_MAX_FRAME_SIZE;

/** Bytes of a line of `content=lines`. */
export const LINE = 16;

/** Content that is made for the response. */
export type MadeContent =
  | { readonly kind: 'echo' }
  | { readonly kind: 'alphabet' | 'random' | 'lines'; readonly bytes: number };

const FIELD = /^([^:]*):(.*)$/s;

const line = { title: 'FieldLine', ...textLike('X-Hello: there') };

const field = required<Field>(line, (text, name) => {
  const [, fieldName = '', value = ''] = FIELD.exec(text) ?? [];
  if (!isToken(fieldName)) throw invalidParameter(name, text, 'is not a field line: Name: value');
  return [fieldName, trimOws(value)];
});

const MADE = /^(alphabet|random|lines):(\d{1,8})([km]?)$/i;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 * 1024 };

const content = required<MadeContent>(TEXT, (text, name) => {
  if (text === 'echo') return { kind: 'echo' };
  const [, kind, digits, unit = ''] = MADE.exec(text) ?? [];
  if (kind !== 'alphabet' && kind !== 'random' && kind !== 'lines') {
    throw invalidParameter(name, text, 'is none of echo, alphabet:10k, random:1m, lines:100');
  }
  const number = Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
  const bytes = kind === 'lines' ? number * LINE : number;
  if (bytes > MAX_REQUESTED_CONTENT) {
    throw invalidParameter(name, text, `exceeds ${MAX_REQUESTED_CONTENT} bytes`);
  }
  return { kind, bytes };
});

/** An optional parameter as text: the endpoint that has it as its own documents its pattern. */
function as<T>(description: string, { schema, ...parameter }: Parameter<T>, example = '') {
  const { type = 'string', enum: words } = schema;
  const known = words ? { type, enum: words } : { type: 'string', examples: [example] };
  return optional({ ...parameter, schema: { ...known, description } }, undefined);
}

const number = (description: string, min: number, max: number) =>
  described(description, optional(int({ min, max }), undefined));

const DIGESTS = ['sha-256', 'sha-512', 'sha', 'md5'] as const;

const fields = repeated(field);
export const headerParameter = described('A field, `Name: value`; may repeat.', fields);

/** The parameters of a described response. @param max maximum of each duration, in seconds */
export function responseParameters(max: number) {
  const delay = delayParameter(max);
  return {
    status: as('Status code, or shares of several.', distributionParameter, '200:90,503:10'),
    header: headerParameter,
    type: as('Content-Type.', matching(MEDIA_TYPE, 'is not a media type'), 'text/css'),
    body: as('Content as text.', anyText(), 'no'),
    base64: as('Content as bytes.', base64Text, 'bm8'),
    content: as('`echo`, `alphabet:10k`, `random:1m` or `lines:100`.', content, 'alphabet:10k'),
    delay: as('Before the head; or shares, `10ms:50,1s:5`.', delay, '100ms'),
    body_delay: as('Between head and content; or shares.', delay, '100ms'),
    rate: number('Bytes a second.', 1, MAX_REQUESTED_CONTENT),
    duration: as('From the first byte to the last.', duration(max), '1s'),
    chunk: number('Bytes a piece, on HTTP/1.1 a chunk.', 1, MAX_CHUNK),
    framing: as('What ends the content.', oneOf(['length', 'chunked', 'close'])),
    encoding: as('Content coding.', oneOf(['gzip', 'br', 'deflate', 'zstd'])),
    damage: as('What is wrong with the coding.', oneOf(DAMAGES)),
    trailer: described('A trailer field; may repeat.', fields),
    informational: as('Interim responses, 100 to 199.', codesParameter, '103,102'),
    informational_header: described('A field of each of these; may repeat.', fields),
    digest: as('Algorithm of Content-Digest and Repr-Digest.', oneOf(DIGESTS)),
    fault: as('A fault below /fault.', faultParameter(max), 'reset@50%'),
    connection: as('Ends an HTTP/1.1 connection.', oneOf(['close'])),
  };
}

/** A described response. Text has one character per byte. */
export type Description = Values<ReturnType<typeof responseParameters>>;
