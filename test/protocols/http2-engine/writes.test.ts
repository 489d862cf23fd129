import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { INSPECTED } from '../../_inspected.ts';
import { openSocket } from '../../_raw.ts';
import { startService } from '../../_service.ts';
import { prefixed } from '../../grpc/_call.ts';
import { framesOf } from '../../wire/http2/_side.ts';

const CALL: [string, string][] = [
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
];

/** The types of frames in each write of a service to a client that makes its first call once it has got SETTINGS. */
async function writesFor(method: string, message: Buffer): Promise<number[][]> {
  const { port } = await startService('--h2-engine=wirebin');
  const writes: number[][] = [];
  // oxlint-disable-next-line typescript/unbound-method -- called with the socket below
  const { write } = Socket.prototype;
  const spy = vi.spyOn(Socket.prototype, 'write').mockImplementation(function (
    this: Socket,
    ...[bytes, ...more]: Parameters<Socket['write']>
  ) {
    // Of the service: its next write may overwrite them.
    if (this.localPort === port) {
      writes.push(framesOf(Buffer.from(bytes)).map(({ type }) => type));
    }
    return write.call(this, bytes, ...more);
  });
  onTestFinished(() => spy.mockRestore());
  const socket = await openSocket(port);
  onTestFinished(() => void socket.destroy());
  const client = new h2.FrameClient(socket);
  await until(() => client.got(h2.SETTINGS).length > 0);
  const frames = [
    h2.frame(h2.SETTINGS, h2.ACK, 0),
    h2.post(1, `/grpc.testing.TestService/${method}`, ...CALL),
    h2.frame(h2.DATA, h2.END_STREAM, 1, prefixed(message)),
  ];
  client.send(...frames);
  await until(() => client.isDone(1));
  return writes;
}

// Each write costs the server and the client about as much as the frames in it.
test.skipIf(INSPECTED)('the first call of a connection takes two writes', async () => {
  expect(await writesFor('EmptyCall', Buffer.alloc(0))).toEqual([
    [h2.SETTINGS, h2.SETTINGS],
    [h2.HEADERS, h2.DATA, h2.HEADERS],
  ]);
});
