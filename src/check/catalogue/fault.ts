import type { FamilyRule, TopicCheck } from '../check.ts';
import { notApplicable, type Verdict } from '../verdict.ts';
import { valuesOf, type Transfer } from '../message.ts';
import { problemType } from '../origin.ts';
import type { Session } from '../session.ts';

/**
 * How often a check with a fault is repeated before it passes. Varnish answers a wrong chunk size or bad trailers with
 * 503 or with a complete 200, depending on whether it notices before it has sent the header section.
 */
const ATTEMPTS = 5;

/** Repeats an attempt whose result may vary, until its verdict is final. @returns the last verdict */
export async function metOften(
  meet: () => Promise<Verdict>,
  isFinal: (verdict: Verdict) => boolean,
  attempts = ATTEMPTS,
): Promise<Verdict> {
  let verdict = await meet();
  for (let attempt = 1; attempt < attempts && !isFinal(verdict); attempt++) verdict = await meet();
  return verdict;
}

/** A check of what becomes of a response that the origin makes wrong on request. */
export function afterFault({
  target,
  judge,
  ...rule
}: FamilyRule & {
  readonly target: string | ((session: Session) => string);
  readonly judge: (transfer: Transfer) => Verdict;
}): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const meet = async (): Promise<Verdict> => {
        const transfer = await session.send({
          target: typeof target === 'string' ? target : target(session),
        });
        if (isUnavailable(transfer))
          return notApplicable('the protocol of the origin has no such fault');
        const judged = judge(transfer);
        return judged.outcome === 'pass' && transfer.ending === 'timeout'
          ? notApplicable('neither the end of the response nor an error in time')
          : judged;
      };
      return metOften(meet, ({ outcome }) => outcome !== 'pass');
    },
  };
}

/** Whether the origin has answered that it cannot make the fault. */
function isUnavailable({ response }: Transfer): boolean {
  return response?.status === 400 && problemType(response) === '/problems/fault-unavailable';
}

/** The values of the malformed field of the origin, as the client receives them; undefined without any. */
export const faultOf = ({ response }: Transfer): string | undefined =>
  valuesOf(response?.fields ?? [], 'x-fault').join(', ') || undefined;

/** What came through to the client of a malformed field, or of lengths that differ, for what was found. */
export function throughOf(transfer: Transfer): string {
  const fault = faultOf(transfer);
  if (fault !== undefined) return `, X-Fault: ${JSON.stringify(fault)}`;
  const lengths = valuesOf(transfer.response?.fields ?? [], 'content-length');
  return lengths.length === 0 ? '' : `, Content-Length: ${lengths.join(' and ')}`;
}
