import { afterEach, describe } from 'vitest';
import { sharedAdapters, type Adapters, type GivenLimits } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';

export interface Sessions {
  readonly alpn: string[] | undefined;
  readonly adapters: () => Adapters;
  /** A client that leaves at the end of the test, if it has not before. */
  readonly open: () => Promise<h2.FrameClient>;
  readonly allClosed: () => boolean;
}

/** The same tests of HTTP/2 sessions in cleartext and over TLS, both at once, since they mostly wait. */
export function inClearAndOverTls(limits: GivenLimits, tests: (sessions: Sessions) => void): void {
  for (const alpn of [undefined, ['h2']]) {
    describe.concurrent(alpn ? 'over TLS' : 'cleartext', () => {
      describe.sequential('one by one', () => {
        const adapters = sharedAdapters(limits);
        const clients: h2.FrameClient[] = [];
        afterEach(() => clients.splice(0).forEach(({ socket }) => socket.destroy()));
        tests({
          alpn,
          adapters,
          open: async () => {
            const client = new h2.FrameClient(await openSocket(adapters().port, alpn));
            clients.push(client);
            return client;
          },
          allClosed: () => adapters().listener.connections.size === 0,
        });
      });
    });
  }
}
