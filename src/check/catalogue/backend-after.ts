import { setTimeout as pause } from 'node:timers/promises';
import { topic } from '../check.ts';
import { outcomeOf, type RequestMessage } from '../message.ts';
import { rawTarget, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { notApplicable, pass } from '../verdict.ts';
import { begin } from './cancel.ts';
import { metOften } from './fault.ts';
import { Followers } from './followers.ts';

/** A response belongs to the first request on its connection that has none yet (RFC 9112 9.2). */
const AFTER = {
  section: 'RFC 9112 9.2',
  level: 'must',
  risk: 'security',
  needs: ['gateway', 'faults'],
  // Requests of other checks could take the connection.
  phase: 'last',
} as const;

/** Requests of other clients at once, of which one is sent on the connection to the origin if the target keeps it. */
const FOLLOWERS = 3;
/** Milliseconds for the target to forward what it does not wait for. */
const NOTICE = 50;
/** Seconds within which a request arrives at the origin. */
const ARRIVAL_TIME = 1;

interface Canceled {
  readonly what: string;
  readonly message: (session: Session) => RequestMessage;
}

const UNSENT = 1000;

/** Requests that are canceled: in the middle of the response, before it, and in the middle of an upload. */
const CANCELED: readonly Canceled[] = [
  {
    what: 'a canceled response',
    message: () => ({ target: '/range/1000?chunk_size=100&duration=0.4' }),
  },
  {
    what: 'a canceled response in chunks',
    message: () => ({ target: '/drip?numbytes=40&duration=0.4' }),
  },
  { what: 'a canceled request', message: () => ({ target: '/delay/0.3' }) },
  {
    what: 'a canceled upload',
    message: ({ front }) => ({
      method: 'POST',
      target: '/upload',
      // No content is sent.
      ...(front === 'h2'
        ? { content: 'x'.repeat(UNSENT) }
        : { fields: [['Content-Length', String(UNSENT)]] }),
    }),
  },
];

/** Responses after which a connection cannot be used: incomplete, malformed, or neither. */
const ERRORS = [
  'close?at=body',
  'content-length?declared=1000&sent=500',
  'chunk?how=bad-size',
  'chunk?how=no-crlf',
  'head?how=no-colon',
  'head?how=two-lengths',
  'garbage?at=start',
  'garbage?after=100',
];

/** A response of the origin to no request. It says so, in case that a client gets it whose request is no check. */
const SURPLUS = 'HTTP/1.1 200 OK\r\nContent-Length: 28\r\n\r\nwirebin check: to no request';

/** Responses that bytes follow, and whether the origin keeps the connection. */
function surplusTargets({ met }: Session): readonly string[] {
  const letters = '/fault/content-length?declared=10&sent=1000';
  if (!met.has('raw')) return [letters];
  const empty = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
  return [letters, `${rawTarget(`${empty}${SURPLUS}`)}&then=keep`];
}

/** The connection to the origin after what has gone wrong on it: does another client get the wrong response? */
export const backendAfterChecks = topic(AFTER, [
  {
    id: 'backend/after-canceled',
    rule: 'A connection to the origin whose request a client has canceled does not answer that of another client.',
    needs: ['gateway', 'journal'],
    async run(session) {
      const followers = new Followers(session, FOLLOWERS);
      for (const { what, message } of CANCELED) {
        const tag = session.newTag();
        const request = message(session);
        const target = session.unique(request.target);
        const how = session.front === 'h2' ? 'rst-stream' : 'close';
        const cancel = await begin(session, tagged(tag, { ...request, target }), how);
        const entries = await session.arrived(tag, `?wait=1&timeout=${ARRIVAL_TIME}`);
        await pause(NOTICE);
        cancel();
        // A target may wait for all of an upload.
        if (entries.length === 0) continue;
        const lost = await followers.unserved(what);
        if (lost) return lost;
      }
      return pass();
    },
  },
  {
    id: 'backend/after-error',
    section: 'RFC 9112 6.3',
    rule: 'A connection to the origin on which a response was malformed or incomplete answers no other request.',
    needs: ['gateway', 'faults', 'http1-origin'],
    async run(session) {
      const followers = new Followers(session, FOLLOWERS);
      for (const error of ERRORS) {
        const transfer = await followers.send({ target: `/fault/${error}` });
        const lost = await followers.unserved(`/fault/${error}`, transfer);
        if (lost) return lost;
      }
      return pass();
    },
  },
  {
    id: 'backend/surplus',
    rule: 'Bytes that the origin sends after a response are not taken for the response to another request.',
    needs: ['gateway', 'faults', 'http1-origin'],
    async run(session) {
      const followers = new Followers(session, FOLLOWERS);
      for (const target of surplusTargets(session)) {
        const verdict = await metOften(
          async () => {
            const transfer = await followers.send({ target });
            const lost = await followers.unserved('bytes that follow a response', transfer);
            return lost ?? (transfer.response ? pass() : notApplicable(outcomeOf(transfer)));
          },
          // Node's client reports an error if the bytes come with the end of the response, but not if they come later.
          ({ outcome }) => outcome !== 'not-applicable',
        );
        if (verdict.outcome !== 'pass') return verdict;
      }
      return pass();
    },
  },
]);
