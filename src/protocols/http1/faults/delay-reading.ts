import type { TcpConnection } from '../../../net/tcp-connection.ts';
import { streamContent } from '../../../server/body.ts';
import { pause } from '../../../server/pause.ts';
import type { FaultOf } from '../../../server/fault.ts';
import type { Request } from '../../../server/request.ts';

/**
 * Reads the request content with a pause in which the socket is not read. TCP stops the client once the buffers of both
 * systems are full.
 *
 * @throws AbortError if the client disconnects, Problem as `streamContent`
 */
export async function delayReading(
  request: Request & { readonly connection: TcpConnection },
  { after, seconds }: FaultOf<'no-read'>,
): Promise<void> {
  const { connection, signal, body } = request;
  // Content that is already being discarded: its first bytes were not counted.
  const isUncounted = body.readableFlowing === true;
  let read = 0;
  let held: Promise<void> | undefined;
  let isHeld = false;
  const hold = async (): Promise<void> => {
    isHeld = true;
    connection.holdReading('fault');
    // Errors are ignored, because nothing awaits this promise before the content ends. `signal` is checked below.
    await pause(seconds, signal).catch(() => undefined);
    isHeld = false;
    connection.releaseReading('fault');
  };
  const content = streamContent(request, Infinity, ({ length }) => {
    read += length;
    if (read >= after) held ??= hold();
  });
  const { isProgressing } = request;
  // The pause does not count against the request timeout.
  request.isProgressing = () => isHeld || (isProgressing?.() ?? false);
  if (after === 0 || isUncounted) held ??= hold();
  await content;
  await held;
  signal.throwIfAborted();
}
