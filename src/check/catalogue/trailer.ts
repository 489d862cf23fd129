import { differs, expectSame, fail, notApplicable, pass, type Check } from '../check.ts';
import { valueOf, valuesOf, type FieldLine } from '../message.ts';
import type { EchoRequest } from '../session.ts';
import { withoutEcho } from './forwarded.ts';
import { isRefusedOrForwarded } from './refusal.ts';

const TRAILER = { section: 'RFC 9110 6.5', level: 'quality', risk: 'data-loss' } as const;

const CONTENT = 'content';

const withTrailers = (...trailers: readonly FieldLine[]): EchoRequest => ({
  method: 'POST',
  content: CONTENT,
  framing: 'chunked',
  fields: [['Trailer', trailers.map(([name]) => name).join()]],
  trailers,
});

/** Trailers in both directions (RFC 9110 6.5). */
export const trailerChecks: readonly Check[] = [
  {
    ...TRAILER,
    id: 'trailer/request',
    section: 'RFC 9110 6.5.1',
    rule: 'Request trailers are forwarded or dropped, never merged into the header section.',
    level: 'must',
    observes: 'arrival',
    async run(session) {
      const echo = await session.echo(withTrailers(['X-Check-Trailer', 'value']));
      if (echo.transfer.response?.status === 411) {
        return differs('411: a length is required (RFC 9110 15.5.12)', echo.transfer);
      }
      if (!echo.received) return fail('the request arrives', withoutEcho(echo), echo.transfer);
      const { fields, trailers, content } = echo.received;
      if (content.toString() !== CONTENT) {
        const found = `${content.length} of ${CONTENT.length} bytes of content arrive, answered with 200`;
        return fail('the content arrives', found, echo.transfer);
      }
      if (valuesOf(fields, 'x-check-trailer').length > 0) {
        return fail('a trailer, or nothing', 'the trailer is a header field', echo.transfer);
      }
      return valueOf(trailers, 'x-check-trailer') === 'value'
        ? pass()
        : differs('dropped', echo.transfer);
    },
  },
  isRefusedOrForwarded(
    {
      ...TRAILER,
      id: 'trailer/request-forbidden',
      section: 'RFC 9110 6.5.1',
      rule: 'Trailers used for routing or authentication are never merged into the header section.',
      level: 'must',
      risk: 'security',
      needs: ['gateway'],
      after: ['trailer/request'],
    },
    [
      withTrailers(['X-Forwarded-For', '203.0.113.77'], ['Authorization', 'check']),
      withTrailers(['X-Check-Trailer', 'value']),
    ],
    {
      expected: 'no such header field',
      isSafe: ({ fields }) =>
        ![...valuesOf(fields, 'x-forwarded-for'), ...valuesOf(fields, 'authorization')].some(
          (value) => /203\.0\.113\.77|check/.test(value),
        ),
    },
  ),
  {
    ...TRAILER,
    id: 'trailer/response',
    section: 'RFC 9110 6.5.1',
    rule: 'Response trailers are forwarded or dropped, never merged into the header section.',
    level: 'must',
    observes: 'arrival',
    async run(session) {
      const te =
        session.front === 'h2'
          ? ([['te', 'trailers']] as const)
          : ([
              ['TE', 'trailers'],
              ['Connection', 'TE'],
            ] as const);
      const transfer = await session.send({
        target: '/trailers?X-Check-Trailer=value',
        fields: te,
      });
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      if (valueOf(transfer.response.fields, 'x-check-trailer') !== undefined) {
        return fail('a trailer, or nothing', 'the trailer is a header field', transfer);
      }
      const value = valueOf(transfer.response.trailers, 'x-check-trailer');
      return value === 'value' ? pass() : differs('dropped', transfer);
    },
  },
  {
    ...TRAILER,
    id: 'trailer/te-kept',
    section: 'RFC 9113 8.2.2',
    rule: 'TE: trailers is forwarded to an HTTP/2 origin, which gRPC requires.',
    fronts: ['h2'],
    needs: ['h2-origin'],
    observes: 'arrival',
    async run(session) {
      const echo = await session.echo({ fields: [['te', 'trailers']] });
      if (!echo.received) return notApplicable(withoutEcho(echo));
      return expectSame('trailers', valueOf(echo.received.fields, 'te') ?? 'no te', echo.transfer);
    },
  },
];
