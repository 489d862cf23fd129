import { streamContent } from '../../../server/body.ts';
import { pause } from '../../../server/pause.ts';
import type { Request } from '../../../server/request.ts';

interface Delay {
  /** Bytes of content that are read before. */
  readonly after: number;
  readonly seconds: number;
}

/**
 * Reads the content of a request with a pause, during which the socket is not read, so that TCP stops the
 * client when the buffers of both systems are full.
 *
 * @throws AbortError if the client disconnects, Problem as `streamContent`
 */
export async function delayReading(request: Request, { after, seconds }: Delay): Promise<void> {
  const { connection, signal, body } = request;
  // Content that was discarded before the fault was known is not counted.
  const isUncounted = body.readableFlowing === true;
  let read = 0;
  let held: Promise<void> | undefined;
  let isHeld = false;
  const hold = async (): Promise<void> => {
    isHeld = true;
    connection.stopReading();
    // The content is awaited first: until it ends, a rejection would be unhandled.
    await pause(seconds, signal).catch(() => undefined);
    isHeld = false;
    connection.startReading();
  };
  const content = streamContent(request, Infinity, ({ length }) => {
    read += length;
    if (read >= after) held ??= hold();
    // What had been read from the socket still arrives, and serving requests before starts reading.
    if (isHeld) connection.stopReading();
  });
  const { isProgressing } = request;
  // The request takes longer than its timeout because of us.
  request.isProgressing = () => isHeld || (isProgressing?.() ?? false);
  if (after === 0 || isUncounted) held ??= hold();
  await content;
  await held;
  signal.throwIfAborted();
}
