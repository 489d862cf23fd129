import type { Client, Received, Sent } from '../_client.ts';

/** Asks for a target, and tells in how many milliseconds the whole response came. */
export function timedBy(client: () => Client) {
  return async (target: string, sent: Sent = {}): Promise<Received & { readonly time: number }> => {
    const start = performance.now();
    const received = await client().request(target, sent);
    return { ...received, time: performance.now() - start };
  };
}
