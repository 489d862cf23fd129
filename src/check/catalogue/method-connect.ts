import { topic } from '../check.ts';
import { outcomeOf } from '../message.ts';
import { receivedOf } from '../origin.ts';
import { differs, fail, notApplicable, pass } from '../verdict.ts';
import { PROMPT } from './bounds.ts';
import { rawRequest } from './refusal.ts';

const HOST = 'check.invalid:443';
const CONNECT = `CONNECT ${HOST} HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;

/** What a client may send before it knows whether a tunnel is open. */
export const connectChecks = topic(
  {
    // "Proxy servers MUST close the underlying connection when rejecting a CONNECT request, without processing any further
    // requests on that connection, unless the client is known to wait": read in the last draft, optimistic-upgrade-06. It
    // updates RFC 9112. The text of the RFC could not be read, and the sentence is about proxies: so it is no `must` here.
    section: 'RFC 9931 7',
    level: 'should',
    risk: 'security',
    fronts: ['http/1.1'],
    needs: ['gateway'],
  },
  [
    {
      id: 'method/connect-rejected',
      remedy: {
        advice: 'Close the connection in answer to CONNECT.',
        directives: {
          haproxy: [['frontend', 'http-request reject if METH_CONNECT']],
          caddy: [['site', '@connect method CONNECT', 'respond @connect 405 {', '  close', '}']],
        },
      },
      rule: 'The connection is closed after a rejected CONNECT, and no pipelined request is processed.',
      observes: 'target',
      async run(session) {
        const hidden = session.newTag();
        const client = await session.openHttp1();
        const first = await session.rawOn(client, CONNECT + rawRequest(session, hidden), 'CONNECT');
        const { status } = first.response ?? {};
        if (status !== undefined && status < 300)
          return notApplicable(`${status}, see method/connect`);
        if (first.ending === 'timeout') return notApplicable(outcomeOf(first));
        const next = session.record(
          await client.exchange(Buffer.alloc(0), 'GET', { time: PROMPT }),
        );
        const isServed = receivedOf(next, hidden) !== undefined || next.response !== undefined;
        const hasArrived = session.met.has('journal') && (await session.arrived(hidden)).length > 0;
        if (isServed || hasArrived) {
          const then = hasArrived ? 'forwarded to the origin' : 'answered';
          const found = `${outcomeOf(first)}; the pipelined request is ${then}`;
          return fail('the connection closed', found, first, next);
        }
        return (await client.closed(PROMPT))
          ? pass(`${outcomeOf(first)}, then closed`)
          : differs(`${outcomeOf(first)}; the connection stays open`, first);
      },
    },
  ],
);
