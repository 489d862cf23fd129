import { randomInt } from 'node:crypto';
import { isDisturbed } from '../endpoints/all.ts';
import { faultReplies } from '../endpoints/fault.ts';
import { statusReply } from '../endpoints/status.ts';
import { Chaos, seedOf } from '../server/chaos.ts';
import type { Settings } from '../settings/settings.ts';

/** Creates --chaos; undefined without it. */
export function createChaos(
  { chaos: shares, chaosPaths, chaosSeed, maxDuration }: Settings,
  worker: number | undefined,
): Chaos | undefined {
  if (!shares) return undefined;
  const replyWithFault = faultReplies(maxDuration);
  return new Chaos({
    shares,
    seed: seedOf(chaosSeed ?? randomInt(2 ** 32), worker),
    includes: (pattern, path) => isDisturbed(pattern, path, chaosPaths),
    reply: (disturbance, exchange) =>
      disturbance.kind === 'status'
        ? statusReply(disturbance.status, exchange.version)
        : replyWithFault(disturbance.name, exchange),
  });
}
