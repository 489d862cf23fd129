import type { Hash } from 'node:crypto';
import { fieldValue } from '../http/fields.ts';
import {
  createDigest,
  serializeDigest,
  type DigestAlgorithm,
  type WantedDigests,
} from '../http/integrity-fields.ts';
import { hasNoContent } from '../http/status.ts';
import { eachPiece } from './each-piece.ts';
import {
  isWhole,
  repeatable,
  splitIntoPieces,
  trailersOf,
  type Payload,
  type Streamed,
  type TimedStream,
} from './payload.ts';
import type { Reply } from './reply.ts';
import type { Request } from './request.ts';

/** A digest field while it is computed. */
class Digest {
  readonly name: string;
  readonly #algorithm: DigestAlgorithm;
  readonly #hash: Hash;

  constructor(name: string, algorithm: DigestAlgorithm) {
    this.name = name;
    this.#algorithm = algorithm;
    this.#hash = createDigest(algorithm);
  }

  /** @param piece a string must be ASCII */
  update(piece: string | Uint8Array): void {
    this.#hash.update(piece);
  }

  /** The field line. Call once, at the end. */
  line(): readonly [name: string, value: string] {
    return [this.name, serializeDigest(this.#algorithm, this.#hash.digest())];
  }
}

/**
 * Adds the digests that a request asks for (RFC 9530): as fields if the content is known before it is sent, otherwise
 * as trailers, without Content-Length. With 206 (Partial Content), Repr-Digest covers the whole representation. For a
 * response to HEAD, the content is empty (B.2).
 *
 * @throws AbortError if the client disconnects
 */
export async function withDigests(
  request: Request,
  reply: Reply,
  wanted: WantedDigests,
): Promise<Reply> {
  const { payload, representation } = reply;
  // No digests if the client has chosen all fields, or if a fault prevents trailers.
  const isFixed = reply.replacesDefaults || (reply.fault && payload && isStream(payload));
  if (payload === undefined || hasNoContent(reply.status) || isFixed) return reply;
  // A second line would extend the same dictionary (RFC 9651 4.2), so digests already present are kept.
  const given = [...reply.fields, ...(trailersOf(payload) ?? [])];
  const make = (name: string, algorithm: DigestAlgorithm | undefined): Digest | undefined =>
    algorithm && fieldValue(given, name.toLowerCase()) === undefined
      ? new Digest(name, algorithm)
      : undefined;
  const content = make('Content-Digest', wanted.content);
  const repr = make('Repr-Digest', wanted.repr);
  const fields: string[] = [];
  if (repr && representation) {
    await eachPiece(request, representation(), (piece) => repr.update(piece));
    fields.push(...repr.line());
  }
  const digests = [content, representation ? undefined : repr].flatMap((digest) => digest ?? []);
  const hashed = await hashPayload(request, payload, digests);
  fields.push(...hashed.fields);
  return { ...reply, fields: [...reply.fields, ...fields], payload: hashed.payload };
}

/** Whether the content is made only as it is sent. */
function isStream(payload: Payload): payload is Streamed | TimedStream {
  return !isWhole(payload) && (payload.kind === 'streamed' || payload.kind === 'timed');
}

interface Hashed {
  readonly payload: Payload;
  readonly fields: readonly string[];
}

/** Hashes the payload before it is sent or, if it is a stream, while it is sent. */
async function hashPayload(
  request: Request,
  payload: Payload,
  digests: readonly Digest[],
): Promise<Hashed> {
  if (digests.length === 0) return { payload, fields: [] };
  const isHead = request.method === 'HEAD';
  const hashed = isHead ? digests.filter(({ name }) => name === 'Repr-Digest') : digests;
  const update = (piece: string | Uint8Array): void => {
    for (const digest of hashed) digest.update(piece);
  };
  const fields = (): string[] => digests.flatMap((digest) => digest.line());
  const hashWhole = async (content: string | Uint8Array): Promise<Hashed> => {
    await eachPiece(request, splitIntoPieces(content), update);
    return { payload, fields: fields() };
  };
  if (isWhole(payload)) return hashWhole(payload);
  if (payload.kind === 'pulled') {
    const make = payload.fix();
    await eachPiece(request, make(), update);
    return { payload: repeatable(make), fields: fields() };
  }
  if (payload.kind === 'streamed' && payload.content !== undefined) {
    return hashWhole(payload.content);
  }
  const names = digests.map(({ name }) => name).join(', ');
  return { payload: hashWhileSent(payload, digests), fields: ['Trailer', names] };
}

/** The payload with digests as trailers. Has no length: HTTP/1.1 sends trailers only after chunked content. */
function hashWhileSent(
  payload: Streamed | TimedStream,
  digests: readonly Digest[],
): Streamed | TimedStream {
  const { held = 0 } = payload;
  const trailers = [...(payload.trailers ?? [])];
  let isDone = false;
  const observe = <Piece extends string | Uint8Array | null | undefined>(piece: Piece): Piece => {
    if (piece === undefined && !isDone) {
      isDone = true;
      trailers.push(...digests.flatMap((digest) => digest.line()));
    } else if (piece !== null && piece !== undefined) {
      for (const digest of digests) digest.update(piece);
    }
    return piece;
  };
  if (payload.kind === 'streamed') {
    return { kind: 'streamed', held, trailers, next: (size) => observe(payload.next(size)) };
  }
  return {
    kind: 'timed',
    held,
    trailers,
    next: (size) => observe(payload.next(size)),
    wait: (signal) => payload.wait(signal),
  };
}
