import { topic } from '../check.ts';
import { differs, fail, pass, type Verdict } from '../verdict.ts';
import { FRONTS } from '../front.ts';
import { outcomeOf } from '../message.ts';
import { receivedOf } from '../origin.ts';
import type { Session } from '../session.ts';
import { KiB } from './bounds.ts';
import { metOften } from './fault.ts';
import { answeredByTarget, withoutEcho } from './received.ts';
import { FOLLOWERS } from './origin.ts';
import { rawRequest } from './refusal.ts';

const EXPECT = {
  section: 'RFC 9110 10.1.1',
  level: 'must',
  risk: 'latency',
  fronts: ['http/1.1'],
} as const;

export const EXPECTATION = ['Expect', '100-continue'] as const;

/** Milliseconds to wait for 100 (Continue). The other half of the limit is for the content and the final response. */
export const continueTime = ({ time }: Session): number => time / 2;

/** Expect (RFC 9110 10.1.1). */
export const expectChecks = topic(EXPECT, [
  {
    id: 'expect/continue',
    rule: 'A client that expects 100 (Continue) receives it, or a final response, before it sends content.',
    observes: 'target',
    async run(session) {
      const message = {
        method: 'POST',
        content: 'content',
        fields: [EXPECTATION],
      };
      const { transfer, received } = await session.echo(message, {
        expectFor: continueTime(session),
      });
      if (received && received.content.toString() !== 'content')
        return fail('the content arrives', 'other content', transfer);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      const { status } = transfer.response;
      const isContinued = transfer.interim.some((each) => each.status === 100);
      const isSent = transfer.sent.endsWith(message.content);
      const when = isContinued ? 'after 100' : isSent ? 'after the content' : 'in place of 100';
      if (status >= 500) return fail('the response of the origin', `${status} ${when}`, transfer);
      if (!isSent) return pass(`${status} in place of 100`);
      if (!isContinued)
        return fail('100 (Continue)', `${status} after the content, without 100`, transfer);
      return received ? pass() : differs(`${status} ${when}`, transfer);
    },
  },
  {
    id: 'expect/refused',
    rule: 'A final response of the origin to Expect: 100-continue is forwarded before the client sends content.',
    level: 'quality',
    async run(session) {
      const message = {
        method: 'POST',
        target: '/expect?then=refuse&delay=0.3',
        content: 'content',
        fields: [EXPECTATION],
      };
      const transfer = await session.send(message, { expectFor: continueTime(session) });
      if (!transfer.response) return fail('417', transfer.ending, transfer);
      const isEarly = !transfer.interim.some(({ status }) => status === 100);
      if (!isEarly || transfer.response.status !== 417)
        return differs(`${isEarly ? '' : '100, then '}${transfer.response.status}`, transfer);
      return (await session.hasObserved('arrival')) ? pass() : answeredByTarget({ transfer });
    },
  },
  {
    id: 'expect/unknown',
    rule: 'An unknown expectation is refused with 417, or forwarded.',
    fronts: FRONTS,
    level: 'quality',
    risk: 'interop',
    observes: 'target',
    async run(session) {
      const { transfer } = await session.echo({ fields: [['Expect', 'check-expectation']] });
      const { status } = transfer.response ?? {};
      return status === 417 ? pass() : differs(outcomeOf(transfer), transfer);
    },
  },
  {
    id: 'expect/http10',
    rule: 'Expect from an HTTP/1.0 client is ignored: no 100 (Continue) is sent.',
    risk: 'interop',
    async run(session) {
      // A target that forwards Expect gets 100 of the origin before or with the final response, by chance.
      const meet = async (): Promise<Verdict> => {
        const tag = session.newTag();
        const request = rawRequest(session, tag, {
          method: 'POST',
          version: 'HTTP/1.0',
          lines: ['Expect: 100-continue', 'Content-Length: 2'],
          content: 'ab',
        });
        const transfer = await session.raw(request, 'POST');
        if (transfer.interim.length > 0) return fail('no 1xx', '1xx', transfer);
        return receivedOf(transfer, tag) ? pass() : differs(outcomeOf(transfer), transfer);
      };
      return metOften(meet, ({ outcome }) => outcome !== 'pass');
    },
  },
  {
    id: 'expect/large',
    section: 'RFC 9110 6.4',
    rule: 'Content of more than 64 KiB that waits for 100 (Continue) is forwarded whole.',
    risk: 'data-loss',
    after: ['expect/continue'],
    async run(session) {
      const content = 'abcdefghijklmnopqrstuvwxyz'.repeat(5 * KiB);
      const fields = [EXPECTATION];
      const echo = await session.echo(
        { method: 'POST', content, fields },
        { expectFor: continueTime(session) },
      );
      const { transfer, received } = echo;
      const { status = 0 } = transfer.response ?? {};
      if (status === 413 || status === 417 || !transfer.sent.endsWith(content))
        return differs(`refused: ${outcomeOf(transfer)}`, transfer);
      if (!received) return fail('the content arrives', withoutEcho(echo), transfer);
      const arrived = received.content.toString();
      if (arrived === content) return pass();
      const found = `${arrived.length} bytes${content.startsWith(arrived) ? '' : ' of other content'}`;
      return fail(`${content.length} bytes`, found, transfer);
    },
  },
  {
    id: 'expect/content-later',
    section: 'RFC 9112 6.3',
    rule: 'Content that comes after a final response in place of 100 (Continue) is not taken for a request.',
    risk: 'security',
    needs: ['gateway', 'journal'],
    isDestructive: true,
    async run(session) {
      const hidden = session.newTag();
      const content = rawRequest(session, hidden);
      const client = await session.openHttp1();
      const first = await session.sendOn(
        client,
        { method: 'POST', target: '/expect?then=refuse', content, fields: [EXPECTATION] },
        { expectFor: continueTime(session) },
      );
      if (!first.response) return fail('a response', first.ending, first);
      if (!first.sent.endsWith(content)) client.write(Buffer.from(content, 'latin1'));
      const next = await session.echoOn(client);
      if (receivedOf(next.transfer, hidden) || (await session.arrived(hidden)).length > 0)
        return fail('content', 'it was taken for a request', first, next.transfer);
      for (let follower = 0; follower < FOLLOWERS; follower++) {
        const echo = await session.echo();
        if (!echo.received)
          return fail('the next request is served', withoutEcho(echo), first, echo.transfer);
      }
      const isServed = next.received !== undefined;
      return pass(`${outcomeOf(first)}, then ${isServed ? 'served' : 'closed'}`);
    },
  },
]);
