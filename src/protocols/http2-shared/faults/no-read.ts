import type { Readable } from 'node:stream';
import type { FaultOf } from '../../../server/fault.ts';
import { pause } from '../../../server/pause.ts';
import type { Request } from '../../../server/request.ts';

/** The flow-control credit of a connection, which can be withheld. */
export interface HeldCredit {
  hold(): void;
  release(): void;
}

/**
 * Reads the request content with a pause in which no WINDOW_UPDATE is sent. The client may still send what its window
 * allows. Call before the content is read.
 *
 * @throws AbortError if the client disconnects, Problem if the content is late
 */
export async function readWithPause(
  request: Pick<Request, 'body' | 'signal'> & { isProgressing: Request['isProgressing'] },
  connection: HeldCredit,
  { after, seconds, scope }: FaultOf<'no-read'>,
): Promise<void> {
  const isStream = scope === 'stream';
  const { body: stream } = request;
  let isHeld = false;
  await readUntil(stream, after, () => {
    isHeld = true;
    if (isStream) stream.pause();
    else connection.hold();
  });
  const { isProgressing } = request;
  // The pause does not count against the request timeout.
  request.isProgressing = () => true;
  try {
    await pause(seconds, request.signal);
  } finally {
    request.isProgressing = isProgressing;
    if (isStream) stream.resume();
    // The client may have left before.
    else if (isHeld) connection.release();
  }
  await readUntil(stream, Infinity, () => undefined);
}

/** Calls `stop` once a number of bytes has been read, or at the end of the content. */
async function readUntil(stream: Readable, bytes: number, stop: () => void): Promise<void> {
  // The end of content that was read before is not reported again.
  if (stream.readableEnded) {
    stop();
    return;
  }
  await new Promise<void>((resolve, reject) => {
    let received = 0;
    const count = (length: number): void => {
      received += length;
      if (received < bytes) return;
      done();
    };
    const onData = (chunk: Buffer): void => count(chunk.length);
    const done = (): void => {
      stream.off('data', onData).off('end', done).off('close', resolve).off('error', reject);
      stop();
      resolve();
    };
    stream.once('close', resolve).once('end', done).once('error', reject).on('data', onData);
    count(0);
  });
}
