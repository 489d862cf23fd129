import type { FrontName } from '../../src/check/front.ts';
import { outcomeOf } from '../../src/check/message.ts';
import { Target } from '../../src/check/target.ts';
import { pickUsual } from './usual.ts';

/** What honest clients have seen. */
export interface Tally {
  requests: number;
  /** Sentences, with the request each is about. */
  readonly errors: string[];
}

/** Milliseconds that an honest client waits for an answer. */
const PATIENCE = 15_000;
/** Requests on a connection before its client opens another. */
const LIFETIME = 200;
/** Clients on each transport. */
const CLIENTS = 4;

/** Honest clients on each transport, each sending one request after the other. */
export async function honestTraffic(port: number, tally: Tally, until: AbortSignal): Promise<void> {
  const clients = ['http', 'https'].flatMap((scheme) => {
    const target = new Target({ url: new URL(`${scheme}://127.0.0.1:${port}`), insecure: true });
    return (['http/1.1', 'h2'] as const).flatMap((front) =>
      Array.from({ length: CLIENTS }, () => client(target, front, tally, until)),
    );
  });
  await Promise.all(clients);
}

async function client(
  target: Target,
  front: FrontName,
  tally: Tally,
  until: AbortSignal,
): Promise<void> {
  const { protocol } = target.url;
  while (!until.aborted) {
    let asked = 'a connection';
    let line;
    try {
      line = await target.open(front, PATIENCE);
      let isReusable = true;
      for (let sent = 0; isReusable && sent < LIFETIME && !until.aborted; sent++) {
        const { status, length, ...request } = pickUsual();
        asked = `${request.method ?? 'GET'} ${request.target}`;
        const transfer = await line.send(request, { time: PATIENCE, isLarge: true });
        const { response, ending } = transfer;
        const found = response?.content.length;
        if (ending !== 'complete' || response?.status !== status || (length ?? found) !== found) {
          throw new Error(`${outcomeOf(transfer)} with ${found} bytes`);
        }
        tally.requests++;
        ({ isReusable } = transfer);
      }
    } catch (error) {
      tally.errors.push(`${front} of ${protocol} ${asked}: ${String(error)}`);
    } finally {
      line?.close();
    }
  }
}
