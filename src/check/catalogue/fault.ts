import { notApplicable, type Check, type Rule, type Verdict } from '../check.ts';
import type { Transfer } from '../message.ts';
import { problemType } from '../origin.ts';

/** A check of what becomes of a response that the origin makes wrong on request. */
export function afterFault(
  rule: Rule,
  target: string,
  judge: (transfer: Transfer) => Verdict,
): Check {
  return {
    ...rule,
    observes: 'arrival',
    async run(session) {
      const transfer = await session.send({ target });
      return isUnavailable(transfer)
        ? notApplicable('the protocol of the origin has no such fault')
        : judge(transfer);
    },
  };
}

/** Whether the origin has answered that it cannot make the fault. */
function isUnavailable({ response }: Transfer): boolean {
  return response?.status === 400 && problemType(response) === '/problems/fault-unavailable';
}
