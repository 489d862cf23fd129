import type { Readable } from 'node:stream';
import { Problem } from '../http/problem.ts';
import type { Request } from './request.ts';
import { fieldValue } from '../http/fields.ts';
import { LARGE_CONTENT } from './memory-budget.ts';

const EMPTY = Buffer.alloc(0);

/**
 * Collects a request's content.
 *
 * @param limit in bytes
 * @param hold told of bytes that are to be kept, before they are; what it throws is the outcome
 * @throws Problem as receive does
 */
export async function readContent(
  request: Request,
  limit: number,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  let content: Buffer = EMPTY;
  let length = 0;
  const announced = announcedLength(request) ?? Infinity;
  await receive(request, limit, (piece) => {
    const needed = length + piece.length;
    if (length === 0) content = piece;
    else {
      // Content may come byte by byte, and a Buffer of each would take hundreds of times as much.
      if (needed > content.length) {
        const size = Math.max(needed, Math.min(2 * needed, announced));
        if (size > LARGE_CONTENT) hold(size - content.length);
        content = grown(content, length, size);
      }
      piece.copy(content, length);
    }
    length = needed;
  });
  return content.subarray(0, length);
}

function grown(content: Buffer, length: number, size: number): Buffer {
  const room = Buffer.allocUnsafeSlow(size);
  content.copy(room, 0, 0, length);
  return room;
}

function announcedLength({ fields }: Request): number | undefined {
  const length = fieldValue(fields, 'content-length');
  return length === undefined ? undefined : Number(length);
}

/** Bytes that have to come in the time that a request has to arrive, to be given that time again. */
const STEADY = 1024 * 1024;

/**
 * Takes content that may be long, piece by piece, and for as long as it comes steadily.
 *
 * @param limit in bytes
 * @param take is handed each piece, in order
 * @throws Problem as receive does
 */
export async function streamContent(
  request: Request,
  limit: number,
  take: (piece: Buffer) => void,
): Promise<void> {
  let bytes = 0;
  let before = 0;
  request.isProgressing = () => {
    const isSteady = bytes - before >= STEADY;
    before = bytes;
    return isSteady;
  };
  try {
    await receive(request, limit, (piece) => {
      bytes += piece.length;
      take(piece);
    });
  } finally {
    request.isProgressing = undefined;
  }
}

/**
 * Takes a request's content, asked for only when it can be taken: a client may wait for 100
 * (Continue). What goes beyond the limit, or is not taken, is read on and thrown away, so that the
 * answer reaches a client that is still sending and an HTTP/1.1 connection stays in step (RFC 9110
 * 15.5.14).
 *
 * @returns how many bytes there were
 * @throws Problem content-too-large, invalid-content when it ends early, request-timeout; what `take` throws
 */
function receive(request: Request, limit: number, take: (piece: Buffer) => void): Promise<number> {
  const { body: incoming } = request;
  if ((announcedLength(request) ?? 0) > limit) {
    discard(incoming);
    return Promise.reject(tooLarge(limit));
  }
  request.sendContinueIfExpected();
  return new Promise((resolve, reject) => {
    let length = 0;
    const onData = (piece: Buffer): void => {
      length += piece.length;
      try {
        if (length > limit) throw tooLarge(limit);
        take(piece);
      } catch (error) {
        settle();
        discard(incoming);
        reject(error);
      }
    };
    const onEnd = (): void => {
      settle();
      resolve(length);
    };
    const onLost = (error?: unknown): void => {
      settle();
      reject(
        error instanceof Problem
          ? error
          : new Problem('invalid-content', 'the content ended before it was complete'),
      );
    };
    const settle = (): void => {
      incoming.off('data', onData).off('end', onEnd).off('close', onLost).off('error', onLost);
    };
    incoming.on('data', onData).on('end', onEnd).on('close', onLost).on('error', onLost);
  });
}

/** Reads on to the end of content that nobody wants. */
function discard(incoming: Readable): void {
  incoming.on('error', () => undefined);
  incoming.resume();
}

function tooLarge(limit: number): Problem {
  return new Problem('content-too-large', `the content exceeds the limit of ${limit} bytes`);
}
