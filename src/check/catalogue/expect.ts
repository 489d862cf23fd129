import { differs, fail, pass, type Check } from '../check.ts';
import { outcomeOf } from '../message.ts';
import { receivedOf } from '../origin.ts';
import type { Session } from '../session.ts';
import { rawRequest } from './refusal.ts';

const EXPECT = { section: 'RFC 9110 10.1.1', level: 'must', risk: 'latency' } as const;

/** Milliseconds to wait for 100 (Continue), so that as much is left for the content and the final response. */
const continueTime = ({ time }: Session): number => time / 2;

/** Expect (RFC 9110 10.1.1). */
export const expectChecks: readonly Check[] = [
  {
    ...EXPECT,
    id: 'expect/continue',
    rule: 'A client that expects 100 (Continue) receives it, or a final response, before it sends content.',
    fronts: ['http/1.1'],
    observes: 'target',
    async run(session) {
      const message = {
        method: 'POST',
        content: 'content',
        fields: [['Expect', '100-continue'] as const],
      };
      const { transfer, received } = await session.echo(message, {
        expectFor: continueTime(session),
      });
      if (received && received.content.toString() !== 'content')
        return fail('the content arrives', 'other content', transfer);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      if (!transfer.sent.endsWith(message.content))
        return pass(`${transfer.response.status} in place of 100`);
      return transfer.interim.some(({ status }) => status === 100)
        ? pass()
        : fail(
            '100 (Continue)',
            `${transfer.response.status} after the content, without 100`,
            transfer,
          );
    },
  },
  {
    ...EXPECT,
    id: 'expect/refused',
    rule: 'A final response of the origin to Expect: 100-continue is forwarded before the client sends content.',
    level: 'quality',
    fronts: ['http/1.1'],
    observes: 'arrival',
    async run(session) {
      const message = {
        method: 'POST',
        target: '/expect?then=refuse&delay=0.3',
        content: 'content',
        fields: [['Expect', '100-continue'] as const],
      };
      const transfer = await session.send(message, { expectFor: continueTime(session) });
      if (!transfer.response) return fail('417', transfer.ending, transfer);
      const isEarly = !transfer.interim.some(({ status }) => status === 100);
      return isEarly && transfer.response.status === 417
        ? pass()
        : differs(`${isEarly ? '' : '100, then '}${transfer.response.status}`, transfer);
    },
  },
  {
    ...EXPECT,
    id: 'expect/unknown',
    rule: 'An unknown expectation is refused with 417, or forwarded.',
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
    ...EXPECT,
    id: 'expect/http10',
    rule: 'Expect from an HTTP/1.0 client is ignored: no 100 (Continue) is sent.',
    risk: 'interop',
    fronts: ['http/1.1'],
    observes: 'arrival',
    async run(session) {
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
    },
  },
];
