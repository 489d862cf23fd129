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
function staysIncomplete(rule: FamilyRule, target: string): Check {
  return afterFault({ ...TRUNCATION, ...rule }, target, (transfer) => {
    const { response, ending } = transfer;
    if (!response || ending !== 'complete') return pass(ending);
    if (response.status >= 500) return pass(`${response.status} instead`);
    const found = `a complete ${response.status} with ${response.content.length} bytes`;
    return fail('an incomplete response, or an error', found, transfer);
  });
}

/** Responses that the origin does not finish (RFC 9112 8, RFC 9113 8.1). */
export const truncationChecks: readonly Check[] = [
  staysIncomplete(
    {
      id: 'truncation/content-length',
      rule: 'A response shorter than its Content-Length is also incomplete for the client.',
      needs: ['faults', 'http1-origin'],
    },
    `/fault/close?${HALF}&framing=length`,
  ),
  staysIncomplete(
    {
      id: 'truncation/chunked',
      rule: 'A chunked response without its last chunk is also incomplete for the client.',
      needs: ['faults', 'http1-origin'],
    },
    `/fault/close?${HALF}&framing=chunked`,
  ),
  staysIncomplete(
    {
      id: 'truncation/chunked-end',
      rule: 'A chunked response that lacks only the last chunk is also incomplete for the client.',
      needs: ['faults', 'http1-origin'],
    },
    `/fault/close?${WHOLE}&at=end&framing=chunked`,
  ),
  staysIncomplete(
    {
      id: 'truncation/reset',
      rule: 'A response cut off by a TCP reset is also incomplete for the client.',
    },
    `/fault/reset?${HALF}`,
  ),
  staysIncomplete(
    {
      id: 'truncation/rst-stream',
      section: 'RFC 9113 8.1',
      rule: 'A response cut off by RST_STREAM is also incomplete for the client.',
      needs: ['faults', 'h2-origin'],
    },
    `/fault/rst-stream?${HALF}&code=INTERNAL_ERROR`,
  ),
  staysIncomplete(
    {
      id: 'truncation/connection',
      section: 'RFC 9113 8.1',
      rule: 'A response cut off by the end of the HTTP/2 connection is also incomplete for the client.',
      needs: ['faults', 'h2-origin'],
    },
    `/fault/close?${HALF}`,
  ),
  staysIncomplete(
    {
      id: 'truncation/data-short',
      section: 'RFC 9113 8.1.1',
      rule: 'An HTTP/2 response with less DATA than content-length is not forwarded as complete.',
      needs: ['faults', 'h2-origin'],
    },
    '/fault/content-length?declared=1000000&sent=500000',
  ),
];
