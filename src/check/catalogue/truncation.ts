import { fail, pass, type Check, type FamilyRule } from '../check.ts';
import { afterFault } from './fault.ts';

const TRUNCATION = {
  section: 'RFC 9112 8',
  level: 'must',
  risk: 'data-loss',
  needs: ['faults'],
} as const;

/** More than intermediaries keep back: they have sent the header section when the response breaks. */
const WHOLE = 'length=1000000';
const HALF = `${WHOLE}&after=500000`;

/** A check that a response which the origin does not finish is not finished for the client either. */
function truncationIsTold(rule: FamilyRule, target: string): Check {
  return afterFault({ ...TRUNCATION, ...rule }, target, (transfer) => {
    const { response, ending } = transfer;
    if (!response || ending !== 'complete') return pass(ending);
    if (response.status >= 500) return pass(`${response.status} in its place`);
    const found = `a complete ${response.status} with ${response.content.length} bytes`;
    return fail('an incomplete response, or an error', found, transfer);
  });
}

/** Responses that the origin does not finish (RFC 9112 8, RFC 9113 8.1). */
export const truncationChecks: readonly Check[] = [
  truncationIsTold(
    {
      id: 'truncation/content-length',
      rule: 'Less content than Content-Length says is an incomplete message, for the client too.',
      needs: ['faults', 'http1-origin'],
    },
    `/fault/close?${HALF}&framing=length`,
  ),
  truncationIsTold(
    {
      id: 'truncation/chunked',
      rule: 'Chunked content without its last chunk is incomplete, for the client too.',
      needs: ['faults', 'http1-origin'],
    },
    `/fault/close?${HALF}&framing=chunked`,
  ),
  truncationIsTold(
    {
      id: 'truncation/chunked-end',
      rule: 'All content without the last chunk is still incomplete.',
      needs: ['faults', 'http1-origin'],
    },
    `/fault/close?${WHOLE}&at=end&framing=chunked`,
  ),
  truncationIsTold(
    {
      id: 'truncation/reset',
      rule: 'Content that ends with RST is incomplete, for the client too.',
    },
    `/fault/reset?${HALF}`,
  ),
  truncationIsTold(
    {
      id: 'truncation/rst-stream',
      section: 'RFC 9113 8.1',
      rule: 'Content that ends with RST_STREAM is incomplete, for the client too.',
      needs: ['faults', 'h2-origin'],
    },
    `/fault/rst-stream?${HALF}&code=INTERNAL_ERROR`,
  ),
  truncationIsTold(
    {
      id: 'truncation/connection',
      section: 'RFC 9113 8.1',
      rule: 'Content that ends with the HTTP/2 connection is incomplete, for the client too.',
      needs: ['faults', 'h2-origin'],
    },
    `/fault/close?${HALF}`,
  ),
  truncationIsTold(
    {
      id: 'truncation/data-short',
      section: 'RFC 9113 8.1.1',
      rule: 'Less DATA than content-length says makes the response malformed.',
      needs: ['faults', 'h2-origin'],
    },
    '/fault/content-length?declared=1000000&sent=500000',
  ),
];
