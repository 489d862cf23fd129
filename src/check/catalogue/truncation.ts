import { FrameType, uint32 } from '../../wire/http2/frame.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { fail, failProven, notApplicable, pass } from '../verdict.ts';
import type { Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { ERROR_CANCEL } from './cancel.ts';
import { afterFault } from './fault.ts';
import { rawRequest } from './refusal.ts';

const TRUNCATION = {
  section: 'RFC 9112 8',
  level: 'must',
  risk: 'data-loss',
  needs: ['faults'],
} as const;

/** Bytes of content: more than intermediaries buffer, so the header section is sent before the response breaks. */
const WHOLE = 'length=1000000';
const HALF = `${WHOLE}&after=500000`;

/** A check that a response which the origin cuts off is also incomplete for the client. */
function staysIncomplete({
  target,
  ...rule
}: FamilyRule & { readonly target: string }): TopicCheck {
  return afterFault({
    ...rule,
    target,
    judge: (transfer) => {
      const { response, ending } = transfer;
      if (!response || ending !== 'complete') return pass(ending);
      if (response.status >= 500) return pass(`${response.status} instead`);
      const found = `a complete ${response.status} with ${response.content.length} bytes`;
      return fail('an incomplete response, or an error', found, transfer);
    },
  });
}

/** Seconds within which the beginning of a request reaches the origin, and within which its end does. */
const REQUEST_TIME = 1;
/**
 * Numbers of concurrent uploads and of batches: some targets take the end of the connection for the end of the request
 * only now and then.
 */
const UPLOADS = 10;
const BATCHES = 5;
/** Some targets drop content without it. */
const TYPE = ['Content-Type', 'text/plain'] as const;

/** Begins an upload. @returns a function that cuts it off before its content is complete */
async function beginUpload(
  session: Session,
  tag: string,
): Promise<() => Transfer | Promise<Transfer>> {
  const target = session.unique('/upload');
  if (session.front === 'h2') {
    const client = await session.openHttp2();
    const fields = [TYPE];
    const message = {
      method: 'POST',
      target,
      fields,
      content: 'content',
      framing: 'chunked',
    } as const;
    const stream = client.start(tagged(tag, message));
    await client.sendContent(stream, Buffer.from('content'), session.time, undefined, false);
    return () => {
      client.sendFrame(FrameType.rstStream, 0, stream.id, uint32(ERROR_CANCEL));
      return client.transfer;
    };
  }
  const client = await session.openHttp1();
  const lines = [TYPE.join(': '), 'Transfer-Encoding: chunked'];
  const content = '7\r\ncontent\r\n';
  const bytes = rawRequest(session, tag, { method: 'POST', target, lines, content });
  const sending = client.exchange(Buffer.from(bytes), 'POST', { time: session.time });
  return () => {
    client.close();
    return sending;
  };
}

/** Cuts off an upload. @returns what the origin received */
async function cutOffUpload(session: Session) {
  const tag = session.newTag();
  const cutOff = await beginUpload(session, tag);
  await session.arrived(tag, `?wait=1&timeout=${REQUEST_TIME}`);
  const transfer = session.record(await cutOff());
  const entry = await session.ended(tag, REQUEST_TIME);
  return { transfer, entry };
}

/** Messages that the origin or the client does not finish (RFC 9112 8, RFC 9113 8.1). */
export const truncationChecks = topic(TRUNCATION, [
  staysIncomplete({
    id: 'truncation/content-length',
    rule: 'A response shorter than its Content-Length is also incomplete for the client.',
    needs: ['faults', 'http1-origin'],
    target: `/fault/close?${HALF}&framing=length`,
  }),
  staysIncomplete({
    id: 'truncation/chunked',
    rule: 'A chunked response without its last chunk is also incomplete for the client.',
    needs: ['faults', 'http1-origin'],
    target: `/fault/close?${HALF}&framing=chunked`,
  }),
  staysIncomplete({
    id: 'truncation/chunked-end',
    rule: 'A chunked response that lacks only the last chunk is also incomplete for the client.',
    needs: ['faults', 'http1-origin'],
    target: `/fault/close?${WHOLE}&at=end&framing=chunked`,
  }),
  staysIncomplete({
    id: 'truncation/reset',
    rule: 'A response cut off by a TCP reset is also incomplete for the client.',
    target: `/fault/reset?${HALF}`,
  }),
  staysIncomplete({
    id: 'truncation/rst-stream',
    section: 'RFC 9113 8.1',
    rule: 'A response cut off by RST_STREAM is also incomplete for the client.',
    needs: ['faults', 'h2-origin'],
    target: `/fault/rst-stream?${HALF}&code=INTERNAL_ERROR`,
  }),
  staysIncomplete({
    id: 'truncation/connection',
    section: 'RFC 9113 8.1',
    rule: 'A response cut off by the end of the HTTP/2 connection is also incomplete for the client.',
    needs: ['faults', 'h2-origin'],
    target: `/fault/close?${HALF}`,
  }),
  staysIncomplete({
    id: 'truncation/data-short',
    section: 'RFC 9113 8.1.1',
    rule: 'An HTTP/2 response with less DATA than content-length is not forwarded as complete.',
    needs: ['faults', 'h2-origin'],
    target: '/fault/content-length?declared=1000000&sent=500000',
  }),
  {
    id: 'truncation/request',
    // A sender must not say what it knows to be false, here that the content is complete.
    section: 'RFC 9110 2.2',
    rule: 'A request of unknown length that the client does not finish is also incomplete for the origin.',
    // HAProxy and Apache lose a race now and then, so that a request that was cut off is complete for the origin; Apache
    // forwards none of those that it has not lost.
    byChance: ['pass', 'not-applicable'],
    needs: ['journal'],
    // A target that loses content of unknown length forwards a complete request without it.
    after: ['content/upload-unknown-length'],
    phase: 'timed',
    async run(session) {
      let hasArrived = false;
      for (let batch = 0; batch < BATCHES; batch++) {
        const uploads = await Promise.all(
          Array.from({ length: UPLOADS }, () => cutOffUpload(session)),
        );
        const complete = uploads.filter(({ entry }) => entry?.content.complete === true);
        const [first] = complete;
        if (first) {
          const found = 'the origin received some as complete';
          const reason = `seen in ${complete.length} of ${batch * UPLOADS + UPLOADS} requests`;
          return { ...failProven('incomplete requests', found, first.transfer), reason };
        }
        hasArrived ||= uploads.some(({ entry }) => entry !== undefined);
      }
      return hasArrived
        ? pass()
        : notApplicable('no request reaches the origin before it is complete');
    },
  },
]);
