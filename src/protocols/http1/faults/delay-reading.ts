import { pause } from '../../../server/pause.ts';
import type { Request } from '../../../server/request.ts';

interface Delay {
  /** Bytes of content that are read before. */
  readonly after: number;
  readonly seconds: number;
}

/**
 * Reads the content of a request with a pause, during which the socket is not read, so that TCP's window
 * closes when the buffers of both systems are full.
 *
 * @param done called after the content has been read
 */
export function delayReading(request: Request, { after, seconds }: Delay, done: () => void): void {
  const { body, connection, signal } = request;
  let read = 0;
  let state: 'before' | 'paused' | 'after' = 'before';
  let hasEnded = false;
  const hold = async (): Promise<void> => {
    state = 'paused';
    connection.stopReading();
    await pause(seconds, signal);
    state = 'after';
    connection.startReading();
    if (hasEnded) done();
  };
  const begin = (): void => void hold().catch(() => undefined);
  // The request takes longer than its timeout because of us.
  request.isProgressing = () => state === 'paused';
  body.on('data', ({ length }: Buffer) => {
    read += length;
    if (state === 'before' && read >= after) begin();
    // What had been read from the socket still arrives, and serving requests before starts reading.
    else if (state === 'paused') connection.stopReading();
  });
  body.once('end', () => {
    hasEnded = true;
    if (state !== 'paused') done();
  });
  body.on('error', () => undefined);
  if (after === 0) begin();
}
