import { randomInt } from 'node:crypto';
import { isDisturbed } from '../endpoints/all.ts';
import { faultReplies } from '../endpoints/fault.ts';
import { statusReply } from '../endpoints/status.ts';
import { replyWithStatus } from '../grpc/status-reply.ts';
import { Chaos, seedOf } from '../server/chaos.ts';
import { GrpcStatus, statusOfHttp } from '../wire/grpc/status.ts';
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
    reply(disturbance, exchange) {
      if (disturbance.kind === 'fault') return replyWithFault(disturbance.name, exchange);
      const { status } = disturbance;
      return exchange.call
        ? replyWithStatus(exchange, new GrpcStatus(statusOfHttp(status), `chaos: status=${status}`))
        : statusReply(status, exchange.version);
    },
  });
}
