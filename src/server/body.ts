import type { Readable } from 'node:stream';
import { Problem } from '../http/problem.ts';
import { guarded } from './failure.ts';
import type { Request } from './request.ts';
import { fieldValue } from '../http/fields.ts';
import { turns } from '../net/scheduler.ts';
import { LARGE_CONTENT, MIN_COUNTED_SIZE } from './request-cost.ts';

const EMPTY = Buffer.alloc(0);

/**
 * Reads the request content into one buffer.
 *
 * @param limit in bytes
 * @param reserve called with the number of bytes before they are allocated; may throw to refuse
 * @throws Problem as `receiveContent`
 */
export async function readContent(
  request: Request,
  limit: number,
  reserve: (bytes: number) => void,
): Promise<Buffer> {
  let content: Buffer = EMPTY;
  let length = 0;
  let counted = 0;
  const announced = announcedLength(request) ?? Infinity;
  const count = (size: number): void => {
    if (size <= MIN_COUNTED_SIZE) return;
    reserve(size - counted);
    counted = size;
  };
  await receiveContent(request, limit, '--max-body-size', (piece) => {
    const needed = length + piece.length;
    if (length === 0) {
      count(needed);
      content = piece;
    } else {
      // Copies into one buffer: if content arrives byte by byte, Buffers of its pieces take hundreds of times its size.
      if (needed > content.length) {
        const size = Math.max(needed, Math.min(2 * needed, announced));
        count(size);
        const larger = Buffer.allocUnsafeSlow(size);
        content.copy(larger, 0, 0, length);
        content = larger;
      }
      piece.copy(content, length);
    }
    length = needed;
  });
  return content.subarray(0, length);
}

function announcedLength({ fields }: Request): number | undefined {
  const length = fieldValue(fields, 'content-length');
  return length === undefined ? undefined : Number(length);
}

/** Bytes that must arrive within the request timeout to renew it. */
const MIN_PROGRESS = 1024 * 1024;

/**
 * Reads long content piece by piece, for as long as at least 1 MiB arrives per request timeout.
 *
 * @param limit in bytes
 * @param onPiece called with each piece, in order
 * @param sendContinue as in `receiveContent`
 * @throws Problem as `receiveContent`
 */
export async function streamContent(
  request: Request,
  limit: number,
  onPiece: (piece: Buffer) => void,
  sendContinue = true,
): Promise<void> {
  let bytes = 0;
  let bytesBefore = 0;
  request.isProgressing = () => {
    const isProgressing = bytes - bytesBefore >= MIN_PROGRESS;
    bytesBefore = bytes;
    return isProgressing;
  };
  try {
    await receiveContent(
      request,
      limit,
      '--max-upload-size',
      (piece) => {
        bytes += piece.length;
        onPiece(piece);
      },
      sendContinue,
    );
  } finally {
    request.isProgressing = undefined;
  }
}

const ENOUGH = new Error('enough content has been read');

/**
 * Reads content until `wanted` bytes have arrived, or to its end. The rest is discarded.
 *
 * @returns the number of bytes that have arrived
 * @throws Problem as `receiveContent`
 */
export async function readStart(request: Request, wanted: number): Promise<number> {
  let bytes = 0;
  try {
    await streamContent(request, Infinity, (piece) => {
      bytes += piece.length;
      if (bytes >= wanted) throw ENOUGH;
    });
  } catch (error) {
    if (error !== ENOUGH) throw error;
  }
  return bytes;
}

/**
 * Reads the request content. Content beyond the limit, or after `onPiece` has thrown, is read and discarded, so that
 * the response reaches a client that is still sending and the HTTP/1.1 connection can be reused (RFC 9110 15.5.14).
 *
 * @param setting the flag that sets the limit
 * @param sendContinue whether to send 100 (Continue) first if the client expects it
 * @throws Problem content-too-large, invalid-content if it ends early, request-timeout; what `onPiece` throws
 */
function receiveContent(
  request: Request,
  limit: number,
  setting: string,
  onPiece: (piece: Buffer) => void,
  sendContinue = true,
): Promise<void> {
  const { body, contentProblem } = request;
  if (contentProblem) return Promise.reject(contentProblem);
  if ((announcedLength(request) ?? 0) > limit) {
    discardContent(body);
    return Promise.reject(tooLarge(limit, setting));
  }
  // Content that a handler did not read is discarded, so it may have ended before this call.
  if (body.readableEnded) return Promise.resolve();
  if (body.closed) return Promise.reject(incompleteContent());
  if (sendContinue) request.sendContinueIfExpected();
  return new Promise((resolve, reject) => {
    let length = 0;
    let isQueued = false;
    const readInTurn = (): void => {
      isQueued = false;
      // `read()` emits `data` synchronously, and the listener may queue another read.
      body.read();
      if (!isQueued) body.resume();
    };
    const onData = (piece: Buffer): void => {
      length += piece.length;
      try {
        if (length > limit) throw tooLarge(limit, setting);
        onPiece(piece);
      } catch (error) {
        removeListeners();
        discardContent(body);
        reject(error);
        return;
      }
      if (length > LARGE_CONTENT && !isQueued && turns.isSpent()) {
        isQueued = true;
        body.pause();
        turns.run(readInTurn, request.connection);
      }
    };
    const onEnd = (): void => {
      removeListeners();
      resolve();
    };
    const onAbort = (error?: unknown): void => {
      removeListeners();
      reject(error instanceof Problem ? error : incompleteContent());
    };
    const removeListeners = (): void => {
      body.off('data', onData).off('end', onEnd).off('close', onAbort).off('error', onAbort);
    };
    body.on('data', onData).on('end', onEnd).on('close', onAbort).on('error', onAbort);
  });
}

/**
 * Calls `observe` with each piece of content when it arrives, even if nothing reads it, and with null at the end. Call
 * before anything reads the content. If `observe` throws, the request fails.
 *
 * @param body content to observe, if it is not that of the request
 */
export function observeContent(
  request: Pick<Request, 'body' | 'failed'>,
  observe: (piece: Buffer | null) => void,
  body = request.body,
): void {
  const onPiece = guarded(request, observe);
  // A `data` listener would make the stream flow, even if the handler does not want to read it.
  const push = body.push.bind(body);
  body.push = (piece: Buffer | null, encoding) => {
    onPiece(piece);
    return push(piece, encoding);
  };
  // Content that has already arrived: with the header section on HTTP/2, or while the request was queued on HTTP/1.1.
  const buffered: Buffer[] = [];
  while (body.readableLength > 0) {
    const piece: unknown = body.read();
    if (!(piece instanceof Buffer)) break;
    onPiece(piece);
    buffered.push(piece);
  }
  for (const piece of buffered.toReversed()) body.unshift(piece);
}

/** Reads content to its end without using it. */
function discardContent(body: Readable): void {
  body.on('error', () => undefined);
  body.resume();
}

function incompleteContent(): Problem {
  return new Problem('invalid-content', 'the content ended before it was complete');
}

function tooLarge(limit: number, setting: string): Problem {
  const detail = `the content exceeds the limit of ${limit} bytes; ${setting} sets it`;
  return new Problem('content-too-large', detail);
}
