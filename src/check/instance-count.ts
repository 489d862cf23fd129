import type { FrontName } from './front.ts';
import { newTag, receivedOf, tagged } from './origin.ts';
import type { Client, Target } from './target.ts';

/** Connections with a request of their own, some of them at the same time, and requests on one that is kept. */
const CONNECTIONS = 16;
const AT_ONCE = 4;
const KEPT = 4;

/** Sends requests to see which instances of wirebin answer, whatever the target distributes: connections or requests. */
export async function countInstances(
  target: Target,
  fronts: readonly FrontName[],
  time: number,
): Promise<void> {
  const openAt = (at: number): Promise<Client> =>
    target.open(fronts[at % fronts.length] ?? 'http/1.1', time);
  const onOwn = async (at: number): Promise<void> => {
    const client = await openAt(at);
    await ask(target, client, time);
    client.close();
  };
  for (let at = 0; at < CONNECTIONS; at += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, more) => onOwn(at + more)));
  }
  const client = await openAt(0);
  for (let left = KEPT; left > 0 && (await ask(target, client, time)); left--);
  client.close();
  target.instances.counted();
}

/** The same after another one was seen: it may have been restarted. */
export async function recountInstances(
  target: Target,
  fronts: readonly FrontName[],
  time: number,
): Promise<void> {
  target.instances.forget();
  await countInstances(target, fronts, time);
}

/** Why no journal says what has arrived at all instances; undefined if it can be known. */
export async function journalGap(
  target: Target,
  fronts: readonly FrontName[],
  time: number,
): Promise<string | undefined> {
  const { instances, hasOrigins } = target;
  // One that was restarted is another process, and is known only when it is asked.
  if (instances.gap !== undefined) {
    if (hasOrigins) await target.journal('check-gap', time).catch(() => undefined);
    else if (!instances.isCounted)
      await recountInstances(target, fronts, time).catch(() => undefined);
  }
  return instances.gap;
}

/** @returns whether another request can follow */
async function ask(target: Target, client: Client, time: number): Promise<boolean> {
  const tag = newTag();
  const transfer = await client.send(tagged(tag, { target: `/anything/${tag}` }), { time });
  target.instances.saw(receivedOf(transfer, tag)?.process);
  return transfer.isReusable;
}
