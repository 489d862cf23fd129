import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { FrameType, type RawFrame } from '../../../src/wire/http2/frame.ts';
import { createService } from '../../../src/service/create-service.ts';
import { Session } from '../../../src/check/session.ts';
import { Target } from '../../../src/check/target.ts';
import { Turns } from '../../../src/check/turns.ts';
import { FrameRewriter } from '../_frame-rewriter.ts';
import { listening, type Proxy } from '../_gateway-server.ts';

const TIME = 30_000;

/** Forwards frames as they come, which is quicker than the connection for each request of other gateways. */
function startForwarding(
  port: number,
  frame: (received: RawFrame) => RawFrame | undefined,
): Promise<Proxy> {
  const server = createServer((socket) => {
    const client = new FrameRewriter(socket, Buffer.alloc(0), { frame });
    const origin = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, origin],
      [origin, client],
    ] as const) {
      from.pipe(to);
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
    socket.on('error', () => undefined);
  });
  return listening(server, 'http');
}

test(
  'a gateway that forwards requests in spite of their reset is found by the journal',
  async () => {
    // The resets do not arrive, so that more requests may be open than the client counts, on a busy machine too.
    const origin = await createService({
      host: '127.0.0.1',
      port: 0,
      control: 'token',
      maxStreams: 1000,
    });
    const gateway = await startForwarding(origin.port, (received) =>
      received.type === FrameType.rstStream ? undefined : received,
    );
    const origins = [new URL(`http://127.0.0.1:${origin.port}`)];
    const target = new Target({ url: gateway.url, origins, insecure: false });
    const session = new Session(target, 'h2', TIME, new Turns(0));
    const check = checks.find(({ id }) => id === 'h2/reset-flood');
    expect(await check?.run(session)).toMatchObject({
      outcome: 'fail',
      expected: 'fewer, or the connection closed',
      found: expect.stringMatching(/^at least [6-9]\d\d of 1200 at the origin$/),
    });
    session.close();
    await gateway.close();
    await origin.close();
  },
  2 * TIME,
);
