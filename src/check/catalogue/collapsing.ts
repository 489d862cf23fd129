import type { Check, FamilyRule } from '../check.ts';
import { fail, notApplicable, pass } from '../verdict.ts';
import { outcomeOf, type FieldLine, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';

/** Seconds by which the origin delays both responses, so that the requests overlap. */
const DELAY = 0.2;

/** A check that two concurrent requests for one URL each get a response of the origin (RFC 9111 4). */
function notCollapsed({
  name,
  values,
  ...rule
}: FamilyRule & { readonly name: string; readonly values: readonly [string, string] }): Check {
  return {
    section: 'RFC 9111 4',
    level: 'must',
    risk: 'security',
    needs: ['gateway', 'journal'],
    ...rule,
    async run(session) {
      const target = session.unique(`/delay/${DELAY}`);
      const send = async (value: string): Promise<() => Promise<readonly [Transfer, boolean]>> => {
        const tag = session.newTag();
        const client = await session.open();
        const message = tagged(tag, { target, fields: [[name, value] satisfies FieldLine] });
        return async () => {
          const transfer = await session.sendOn(client, message);
          return [transfer, (await session.arrived(tag)).length > 0];
        };
      };
      // Both connections are open before the first request is sent.
      const ready = [await send(values[0]), await send(values[1])];
      const replies = await Promise.all(ready.map((go) => go()));
      const transfers = replies.map(([transfer]) => transfer);
      const words = transfers.map(outcomeOf).join(', ');
      // If no request reached the origin, the target has answered by itself.
      if (replies.every(([, hasArrived]) => !hasArrived))
        return notApplicable(`the requests do not reach the origin: ${words}`);
      const isReused = replies.some(
        ([{ response }, hasArrived]) =>
          response !== undefined && response.status < 400 && !hasArrived,
      );
      return isReused
        ? fail('both requests reach the origin', 'one response for both', ...transfers)
        : pass(words);
    },
  };
}

/** Checks of concurrent requests for one URL. A cache may answer them with one response only if that may be reused. */
export const collapsingChecks: readonly Check[] = [
  notCollapsed({
    id: 'cache/collapsed-authorization',
    section: 'RFC 9111 3.5',
    rule: 'Concurrent requests with different Authorization are not answered by one response.',
    name: 'Authorization',
    values: ['Bearer check-first', 'Bearer check-second'],
  }),
  notCollapsed({
    id: 'cache/collapsed-cookie',
    rule: 'Concurrent requests with different cookies are not answered by one response without freshness.',
    level: 'quality',
    name: 'Cookie',
    values: ['session=check-first', 'session=check-second'],
  }),
];
