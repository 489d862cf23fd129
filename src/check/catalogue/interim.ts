import { differs, expectSame, fail, pass, type Check } from '../check.ts';
import { outcomeOf, valueOf } from '../message.ts';
import { receivedOf } from '../origin.ts';
import { rawRequest } from './refusal.ts';

const INTERIM = { section: 'RFC 9110 15.2', level: 'must', risk: 'interop' } as const;

/** A check of what becomes of interim responses. */
function interimReturns(
  id: `interim/${string}`,
  codes: string,
  level: Check['level'],
  rule: string,
): Check {
  return {
    ...INTERIM,
    id,
    rule,
    level,
    async run(session) {
      const transfer = await session.send({
        target: `/informational/${codes}?link=%3C/check.css%3E`,
      });
      if (!transfer.response || transfer.ending !== 'complete' || transfer.response.status >= 400) {
        return fail(
          `${codes}, then the final response`,
          `no final response of the origin (${outcomeOf(transfer)})`,
          transfer,
        );
      }
      const found = transfer.interim.map(({ status }) => status).join(',');
      return found === codes
        ? pass(found)
        : differs(found ? `${found} only` : 'none is forwarded', transfer);
    },
  };
}

/** Interim responses (RFC 9110 15.2, RFC 8297). */
export const interimChecks: readonly Check[] = [
  interimReturns(
    'interim/103',
    '103',
    'must',
    'A 103 of the origin does not disturb the final response, and is forwarded.',
  ),
  interimReturns(
    'interim/102',
    '102',
    'must',
    'A 102 of the origin does not disturb the final response, and is forwarded.',
  ),
  interimReturns(
    'interim/several',
    '103,103,102',
    'must',
    'Several interim responses do not disturb the final one.',
  ),
  interimReturns(
    'interim/unregistered',
    '199',
    'must',
    'An interim response that is not registered does not disturb the final one.',
  ),
  {
    ...INTERIM,
    id: 'interim/103-link',
    section: 'RFC 8297 2',
    rule: 'The fields of a 103 are forwarded with it.',
    after: ['interim/103'],
    async run(session) {
      const transfer = await session.send({ target: '/informational/103?link=%3C/check.css%3E' });
      const [early] = transfer.interim;
      if (!early) return differs('no 103 is forwarded', transfer);
      return expectSame('</check.css>', valueOf(early.fields, 'link') ?? 'no Link', transfer);
    },
  },
  {
    ...INTERIM,
    id: 'interim/http10',
    rule: 'No interim response is sent to a client of HTTP/1.0.',
    fronts: ['http/1.1'],
    async run(session) {
      const target = '/informational/103?link=%3C/a%3E';
      const request = rawRequest(session, session.newTag(), { target, version: 'HTTP/1.0' });
      const transfer = await session.raw(request);
      return transfer.interim.length === 0 ? pass() : fail('no 1xx', '1xx', transfer);
    },
  },
];

const EXPECT = { section: 'RFC 9110 10.1.1', level: 'must', risk: 'latency' } as const;

/** Milliseconds for which a check waits for 100 (Continue). */
const CONTINUE_TIME = 1500;

/** Expect (RFC 9110 10.1.1). */
export const expectChecks: readonly Check[] = [
  {
    ...EXPECT,
    id: 'expect/continue',
    rule: 'A client that expects 100 (Continue) gets it, or a final status, without sending its content.',
    fronts: ['http/1.1'],
    async run(session) {
      const message = {
        method: 'POST',
        content: 'content',
        fields: [['Expect', '100-continue'] as const],
      };
      const { transfer, received } = await session.echo(message, { expectFor: CONTINUE_TIME });
      if (received && received.content.toString() !== 'content')
        return fail('the content arrives', 'it does not', transfer);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      if (!transfer.sent.endsWith(message.content))
        return pass(`${transfer.response.status} in place of 100`);
      return transfer.interim.some(({ status }) => status === 100)
        ? pass()
        : fail(
            '100 (Continue)',
            `${transfer.response.status} after the content was sent unasked`,
            transfer,
          );
    },
  },
  {
    ...EXPECT,
    id: 'expect/refused',
    rule: 'A final status of the origin in place of 100 reaches the client before it sends its content.',
    level: 'quality',
    fronts: ['http/1.1'],
    async run(session) {
      const message = {
        method: 'POST',
        target: '/expect?then=refuse&delay=0.3',
        content: 'content',
        fields: [['Expect', '100-continue'] as const],
      };
      const transfer = await session.send(message, { expectFor: CONTINUE_TIME });
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
    rule: 'An expectation that is not known is refused with 417 or forwarded.',
    level: 'quality',
    risk: 'interop',
    async run(session) {
      const { transfer } = await session.echo({ fields: [['Expect', 'check-expectation']] });
      const { status } = transfer.response ?? {};
      return status === 417 ? pass() : differs(outcomeOf(transfer), transfer);
    },
  },
  {
    ...EXPECT,
    id: 'expect/http10',
    rule: 'Expect of a client of HTTP/1.0 is ignored: it gets no 100.',
    risk: 'interop',
    fronts: ['http/1.1'],
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
