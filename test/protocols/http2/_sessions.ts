import { describe } from 'vitest';
import { sharedAdapters, type Adapters, type GivenLimits } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';

export interface Sessions {
  readonly alpn: string[] | undefined;
  readonly adapters: () => Adapters;
  readonly open: () => Promise<h2.FrameClient>;
  readonly allClosed: () => boolean;
}

/** The same tests of HTTP/2 sessions in cleartext and over TLS, both at once, since they mostly wait. */
export function inClearAndOverTls(limits: GivenLimits, tests: (sessions: Sessions) => void): void {
  for (const alpn of [undefined, ['h2']]) {
    describe.concurrent(alpn ? 'over TLS' : 'cleartext', () => {
      describe.sequential('one by one', () => {
        const adapters = sharedAdapters(limits);
        tests({
          alpn,
          adapters,
          open: async () => new h2.FrameClient(await openSocket(adapters().port, alpn)),
          allClosed: () => adapters().listener.connections.size === 0,
        });
      });
    });
  }
}
