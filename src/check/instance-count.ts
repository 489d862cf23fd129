import type { FrontName } from './front.ts';
import { newTag, receivedOf, tagged } from './origin.ts';
import type { Client, Target } from './target.ts';

/** Number of new connections with one request each, of connections open at a time, and of requests on a kept one. */
const CONNECTIONS = 16;
const AT_ONCE = 4;
const KEPT = 4;

/** Sends requests to find the instances of wirebin behind the target, whether it balances connections or requests. */
export async function countInstances(
  target: Target,
  fronts: readonly FrontName[],
  time: number,
): Promise<void> {
  const openAt = (at: number): Promise<Client> =>
    target.open(fronts[at % fronts.length] ?? 'http/1.1', time);
  const onOwn = async (at: number): Promise<void> => {
    const client = await openAt(at);
    await askInstance(target, client, time);
    client.close();
  };
  for (let at = 0; at < CONNECTIONS; at += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, more) => onOwn(at + more)));
  }
  const client = await openAt(0);
  for (let left = KEPT; left > 0 && (await askInstance(target, client, time)); left--);
  client.close();
  target.instances.counted();
}

/** Counts again from the beginning: an instance seen later may be a restarted one, so the old count may be too high. */
export async function recountInstances(
  target: Target,
  fronts: readonly FrontName[],
  time: number,
): Promise<void> {
  target.instances.forget();
  await countInstances(target, fronts, time);
}

/** Why the journals do not show all that arrived, because an instance cannot be asked; undefined if they do. */
export async function journalGap(
  target: Target,
  fronts: readonly FrontName[],
  time: number,
): Promise<string | undefined> {
  const { instances, hasOrigins } = target;
  // A restarted instance has a new process id, which is only learned by asking.
  if (instances.gap !== undefined) {
    if (hasOrigins) await target.journal('check-gap', time).catch(() => undefined);
    else if (!instances.isCounted)
      await recountInstances(target, fronts, time).catch(() => undefined);
  }
  return instances.gap;
}

/** Sends a request, and notes who answers. @returns whether the connection can take another one */
async function askInstance(target: Target, client: Client, time: number): Promise<boolean> {
  const tag = newTag();
  const transfer = await client.send(tagged(tag, { target: `/anything/${tag}` }), { time });
  target.instances.saw(receivedOf(transfer, tag)?.process);
  return transfer.isReusable;
}
