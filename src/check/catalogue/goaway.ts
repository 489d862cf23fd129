import { createHash } from 'node:crypto';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, failProven, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, type Transfer } from '../message.ts';
import { tagged } from '../origin.ts';
import type { Echo, Session } from '../session.ts';
import { withoutEcho } from './received.ts';
import { FrontConnection } from './front-connection.ts';

const GOAWAY = {
  section: 'RFC 9113 6.8',
  level: 'must',
  risk: 'data-loss',
  needs: ['gateway', 'faults', 'journal', 'h2-origin'],
  phase: 'alone',
} as const;

const LENGTH = 10_000;

/** A check that a response is whole although the origin sends GOAWAY meanwhile. @param last stream id in GOAWAY */
function responseIsWhole({
  last,
  ...rule
}: FamilyRule & { readonly last: 'this' | 'max' }): TopicCheck {
  return {
    ...rule,
    async run(session) {
      const connection = new FrontConnection(session);
      const transfer = await connection.send({
        target: `/fault/goaway?last=${last}&length=${LENGTH}&after=5000`,
      });
      const { response, ending } = transfer;
      if (ending !== 'complete' || response?.content.length !== LENGTH) {
        return fail(`${LENGTH} bytes`, outcomeOf(transfer), transfer);
      }
      return nextIsServed(await connection.echo(), transfer);
    },
  };
}

function nextIsServed(next: Echo, before: Transfer): Verdict {
  return next.received
    ? pass()
    : fail('the next request is served', withoutEcho(next), before, next.transfer);
}

/** Requests a slow response, has the origin send GOAWAY on its connection, and sends a request meanwhile. */
async function duringGoaway(session: Session) {
  const client = await session.openHttp2();
  const [slowTag, goawayTag] = [session.newTag(), session.newTag()];
  const { time } = session;
  const slow = client.start(
    tagged(slowTag, { target: session.unique('/drip?numbytes=10&duration=1') }),
  );
  await client.until(() => slow.head !== undefined || client.isClosed, time);
  const goaway = await session.sendOn(
    client,
    tagged(goawayTag, { target: '/fault/goaway?last=max' }),
  );
  const { transfer: next, received } = await session.echoOn(client);
  const finished = session.record(await client.finish(slow, time));
  const [[slowEntry], [goawayEntry]] = await Promise.all([
    session.arrived(slowTag),
    session.arrived(goawayTag),
  ]);
  const isShared = slowEntry !== undefined && slowEntry.conn === goawayEntry?.conn;
  return { slow: finished, goaway, next, isNextServed: received !== undefined, isShared };
}

const NOT_SHARED = 'the requests went to the origin on different connections';

/** A check of what becomes of a request that the origin says it has not processed. */
function unprocessed({
  method,
  ...rule
}: FamilyRule & { readonly method: 'GET' | 'POST' }): TopicCheck {
  return {
    ...rule,
    section: 'RFC 9113 8.7',
    async run(session) {
      const tag = session.newTag();
      const content = method === 'GET' ? undefined : 'content'.repeat(1000);
      const transfer = await session.send({
        method,
        target: `/retry/${tag}?fail=1&with=goaway`,
        ...(content !== undefined && { content }),
      });
      const entries = await session.arrived(tag);
      if (entries.length <= 1) return differs(`${outcomeOf(transfer)} after 1 attempt`, transfer);
      const sha256 = createHash('sha256')
        .update(content ?? '')
        .digest('hex');
      const other = entries.slice(1).find((entry) => entry.content.sha256 !== sha256);
      return other
        ? failProven('the same content again', `${other.content.octets} bytes, or others`, transfer)
        : pass(`${outcomeOf(transfer)} after ${entries.length} attempts`);
    },
  };
}

/** GOAWAY of an origin on HTTP/2 (RFC 9113 6.8). */
export const goawayChecks = topic(GOAWAY, [
  responseIsWhole({
    id: 'goaway/graceful',
    rule: 'A response during a graceful shutdown is complete, and the next request succeeds.',
    last: 'max',
  }),
  responseIsWhole({
    id: 'goaway/last-stream',
    rule: 'The response on the last stream named by GOAWAY is complete, and the next request succeeds.',
    last: 'this',
  }),
  {
    id: 'goaway/open-streams',
    rule: 'Streams that are open when the origin sends GOAWAY are completed.',
    fronts: ['h2'],
    async run(session) {
      const { slow, isShared } = await duringGoaway(session);
      if (!isShared) return notApplicable(NOT_SHARED);
      return slow.ending === 'complete' && slow.response?.content.length === 10
        ? pass()
        : fail('10 bytes', outcomeOf(slow), slow);
    },
  },
  {
    id: 'goaway/new-streams',
    rule: 'No stream is opened after GOAWAY: the next request uses another connection.',
    fronts: ['h2'],
    async run(session) {
      const { goaway, next, isNextServed, isShared } = await duringGoaway(session);
      if (!isShared) return notApplicable(NOT_SHARED);
      return isNextServed
        ? pass()
        : fail('served on another connection', outcomeOf(next), goaway, next);
    },
  },
  {
    id: 'goaway/mid-stream',
    rule: 'A response cut off by GOAWAY with an error is also incomplete for the client.',
    async run(session) {
      const connection = new FrontConnection(session);
      const transfer = await connection.send({
        target: `/fault/goaway?last=this&then=close&code=INTERNAL_ERROR&length=${LENGTH}&after=5000`,
      });
      const { response, ending } = transfer;
      if (ending === 'complete' && response && response.status < 500) {
        return fail('an incomplete response, or an error', outcomeOf(transfer), transfer);
      }
      return nextIsServed(await connection.echo(), transfer);
    },
  },
  unprocessed({
    id: 'goaway/get-unprocessed',
    rule: 'Whether a GET above the last stream of GOAWAY, which was not processed, is retried.',
    level: 'info',
    method: 'GET',
  }),
  unprocessed({
    id: 'goaway/post-unprocessed',
    rule: 'A POST above the last stream of GOAWAY is retried with all of its content, or not at all.',
    method: 'POST',
  }),
]);
