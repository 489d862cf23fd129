import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FAULT_POINTS } from '../../src/server/fault.ts';
import { isHttp2, isSecure, transports } from '../_client.ts';
import { observe } from '../_ending.ts';
import { FrameClient, get } from '../_frames.ts';
import { GET } from '../_raw.ts';
import { startService } from '../_service.ts';

/** Longer than clients wait by default for the end of a connection that is closed, in milliseconds. */
const SILENCE = 11_000;
/** Milliseconds until what comes before the stall has arrived. */
const BEFORE = 1000;

test('a stall sends no more, and keeps the connection open', async () => {
  const { port } = await startService();
  const cases = transports.flatMap((transport) =>
    FAULT_POINTS.map(async (at) => {
      const alpn = isHttp2(transport) ? 'h2' : 'http/1.1';
      const { tcp, socket, received, ended } = observe(port, isSecure(transport), alpn);
      const target = `/fault/stall?at=${at}`;
      const client = isHttp2(transport) ? new FrameClient(socket) : undefined;
      if (client) client.send(get(1, target));
      else socket.write(GET(target));
      // PINGs of the service are no part of the response.
      const sent = (): number =>
        client ? client.frames.filter(({ stream }) => stream === 1).length : received().length;
      await pause(BEFORE);
      const before = sent();
      const outcome = await Promise.race([ended, pause(SILENCE, 'open')]);
      tcp.destroy();
      return [transport, at, outcome, sent() - before];
    }),
  );
  const expected = transports.flatMap((transport) =>
    FAULT_POINTS.map((at) => [transport, at, 'open', 0]),
  );
  expect(await Promise.all(cases)).toEqual(expected);
});
