import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import type { FieldLine } from '../message.ts';
import type { EchoRequest } from '../session.ts';
import { allOf, fieldArrives, WITH_CONTENT } from './received.ts';

/**
 * "A server that is not the origin server for the target resource and cannot act as a cache for requests on the target
 * resource MUST ignore the conditional request header fields defined by this specification, and it MUST forward them".
 * No cache can act on PUT and DELETE.
 */
const CONDITION = { section: 'RFC 9110 13.2.1', level: 'must', risk: 'data-loss' } as const;

/** A check that a condition of requests which change something arrives. Without it, they are made in any case. */
function conditionArrives({
  line,
  ...rule
}: FamilyRule & { readonly line: FieldLine }): TopicCheck {
  const arrives = (request: EchoRequest): TopicCheck =>
    fieldArrives({ ...rule, lines: [line], request, mayRefuse: true });
  const put = { ...WITH_CONTENT, method: 'PUT' };
  return allOf(arrives(put), arrives(WITH_CONTENT), arrives({ method: 'DELETE' }));
}

/** Conditions by which clients avoid lost updates (RFC 9110 13.1). */
export const fieldConditionChecks = topic(CONDITION, [
  conditionArrives({
    id: 'field/if-match',
    rule: 'If-Match of PUT, POST and DELETE is forwarded: without it, an update overwrites that of another client.',
    line: ['If-Match', '"check-a", "check-b"'],
  }),
  conditionArrives({
    id: 'field/if-unmodified-since',
    rule: 'If-Unmodified-Since of PUT, POST and DELETE is forwarded.',
    line: ['If-Unmodified-Since', 'Tue, 15 Nov 1994 12:45:26 GMT'],
  }),
  conditionArrives({
    id: 'field/if-none-match',
    rule: 'If-None-Match: * of PUT, POST and DELETE is forwarded: without it, what exists is overwritten.',
    line: ['If-None-Match', '*'],
  }),
]);
