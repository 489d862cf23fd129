import { isUtf8 } from 'node:buffer';
import { echoPieces } from '../../echo/echo-pieces.ts';
import { encoderFor, encodeZstdWithChecksum, type Coding } from '../../http/codings.ts';
import { Problem } from '../../http/problem.ts';
import { pullBytes, pullSource, repeatable, type Repeatable } from '../../server/payload.ts';
import { randomContent } from '../../server/random-bytes.ts';
import { BYTES_TYPE, TEXT_TYPE } from '../../server/reply.ts';
import type { Request } from '../../server/request.ts';
import { escapedContent, isExecutableType, REFERENCES } from '../../server/safety.ts';
import { inThread } from '../../server/request-cost.ts';
import { DEFAULT_LENGTH } from '../fault/parameters.ts';
import { letters } from '../range.ts';
import type { Permissions } from './safety.ts';
import { damaged, type Damage } from './damage.ts';
import { LINE, type Description, type MadeContent } from './parameters.ts';

/** Maximum bytes of content that is encoded: they and the result are in memory. */
const MAX_ENCODED = 1024 * 1024;

/** The content of a described response. */
export interface DescribedContent {
  /** undefined if the fields have it, or there is no content. */
  readonly type: string | undefined;
  readonly source: Repeatable;
}

/**
 * Makes the content.
 *
 * @param received content of the request, for its echo
 */
export function describedContent(
  given: Description,
  request: Request,
  received: Buffer,
  { verbatim }: Permissions,
): DescribedContent {
  const { body, base64, header } = given;
  const chosen = header.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const type = given.type ?? chosen;
  const isEscaped = !verbatim && type !== undefined && isExecutableType(type);
  const typed = (fallback: string, source: Repeatable): DescribedContent => ({
    type: chosen === undefined ? (type ?? fallback) : undefined,
    source,
  });
  if (given.content?.kind === 'echo') {
    return typed('application/json', echoPieces(request, received, isEscaped));
  }
  const bytes = base64 ?? (body === undefined ? undefined : Buffer.from(body, 'latin1'));
  if (bytes) {
    const source = isEscaped ? escapedContent(bytes, REFERENCES) : inMemory(bytes);
    return typed(isUtf8(bytes) ? TEXT_TYPE : BYTES_TYPE, source);
  }
  const made = given.content ?? (given.fault && { kind: 'alphabet', bytes: DEFAULT_LENGTH });
  if (made)
    return typed(
      made.kind === 'random' ? BYTES_TYPE : TEXT_TYPE,
      madeContent(made.kind, made.bytes),
    );
  return { type: chosen === undefined ? type : undefined, source: inMemory(Buffer.alloc(0)) };
}

function madeContent(kind: MadeContent['kind'], bytes: number): Repeatable {
  switch (kind) {
    case 'random':
      return randomContent(bytes);
    case 'lines':
      return repeatable(() => pullSource(bytes, numberedLines()));
    default:
      return letters({ first: 0, last: bytes - 1 });
  }
}

/** Lines such as `line 0000000001`, from 1. */
function numberedLines(): (size: number) => Uint8Array {
  let position = 0;
  return (size) => {
    const length = Math.min(size, LINE * LINES);
    const first = Math.floor(position / LINE);
    const count = Math.ceil(((position % LINE) + length) / LINE);
    let text = '';
    for (let at = 1; at <= count; at++) text += `line ${String(first + at).padStart(10, '0')}\n`;
    const start = position % LINE;
    position += length;
    return Buffer.from(text.slice(start, start + length), 'latin1');
  };
}

/** Lines that are made at a time. */
const LINES = 1024;

/** Content that only this response keeps in memory. */
function inMemory(bytes: Uint8Array): Repeatable {
  return { ...pullBytes(bytes), held: bytes.length };
}

/**
 * Encodes content.
 *
 * @param damage of the encoded content; undefined for none
 * @throws Problem if this Node lacks the coding, or there is too much to keep in memory
 */
export async function encoded(
  request: Request,
  { source, type }: DescribedContent,
  coding: Coding,
  damage: Damage | undefined,
): Promise<DescribedContent> {
  const hasOptionalChecksum = coding === 'zstd' && damage === 'checksum';
  const encode = hasOptionalChecksum ? encodeZstdWithChecksum : encoderFor(coding);
  if (!encode) throw new Problem('not-implemented', `${coding} requires Node 22.15 or later`);
  if (source.length > MAX_ENCODED) {
    const detail = `encoding=${coding} of ${source.length} bytes exceeds the maximum of ${MAX_ENCODED}`;
    throw new Problem('invalid-parameter', detail);
  }
  const encodeAll = async (): Promise<Uint8Array> => {
    const plain = collect(source);
    const bytes = await encode(plain);
    return damage ? damaged(bytes, plain, coding, damage) : bytes;
  };
  const bytes = await inThread(request, encodeAll, source.length > MAX_ENCODED / 16);
  return { type, source: inMemory(bytes) };
}

function collect(source: Repeatable): Buffer {
  const pieces: Uint8Array[] = [];
  for (let piece = source.next(MAX_ENCODED); piece; piece = source.next(MAX_ENCODED)) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
