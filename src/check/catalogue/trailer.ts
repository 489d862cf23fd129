import { topic } from '../check.ts';
import { differs, expectSame, fail, notApplicable, type Verdict } from '../verdict.ts';
import { outcomeOf, valueOf, valuesOf, type FieldLine, type Transfer } from '../message.ts';
import { rawTarget, receivedOf, tagged } from '../origin.ts';
import type { Echo, EchoRequest, Session } from '../session.ts';
import { metOften } from './fault.ts';
import { answeredByTarget, withoutEcho } from './received.ts';
import { isRefusedOrForwarded } from './refusal.ts';

const TRAILER = { section: 'RFC 9110 6.5', level: 'quality', risk: 'data-loss' } as const;

const CONTENT = 'content';
const NAME = 'X-Check-Trailer';
/** A value that nothing else in a message has. */
const VALUE = 'trailer-of-the-check';
const ADDRESS = '203.0.113.77';
const CREDENTIALS = 'Bearer trailer-of-the-check';

const withTrailers = (...trailers: readonly FieldLine[]): EchoRequest => ({
  method: 'POST',
  content: CONTENT,
  framing: 'chunked',
  fields: [['Trailer', trailers.map(([name]) => name).join()]],
  trailers,
});

/** The name of the header field that contains one of the trailer values; undefined without one. */
const mergedInto = (fields: readonly FieldLine[], ...values: string[]): string | undefined =>
  fields.find(([, value]) => values.some((each) => value.includes(each)))?.[0];

/** Judges a trailer field: it must be among the trailers, unchanged, or be missing. */
function judgeTrailer(
  fields: readonly FieldLine[],
  trailers: readonly FieldLine[],
  transfer: Transfer,
): Verdict {
  const name = mergedInto(fields, VALUE);
  if (name !== undefined)
    return fail('a trailer, or nothing', `the trailer is the header field ${name}`, transfer);
  const values = valuesOf(trailers, NAME);
  if (values.length === 0) return differs('dropped', transfer);
  return expectSame(VALUE, values.join(', '), transfer);
}

/** Judges content that was lost together with trailers: not if as much is lost without them. */
async function judgeLoss(session: Session, { transfer }: Echo, length: number): Promise<Verdict> {
  const isLost = async (fields: readonly FieldLine[]): Promise<Transfer | undefined> => {
    const message = { method: 'POST', content: CONTENT, framing: 'chunked', fields } as const;
    const echo = await session.echo(message);
    return echo.received?.content.toString() === CONTENT ? undefined : echo.transfer;
  };
  const found = `${length} of ${CONTENT.length} bytes of content arrive, answered with 200`;
  const bare = await isLost([]);
  if (!bare) return fail('the content arrives', found, transfer);
  if (await isLost([['Content-Type', 'text/plain']]))
    return notApplicable(`${found}, and without trailers too: see content/upload-unknown-length`);
  return fail(
    'the content arrives',
    `${found}, and without trailers too if there is no Content-Type`,
    bare,
  );
}

/** Fields with which a client accepts trailers (RFC 9110 10.1.4). */
const takingTrailers = ({ front }: Session): readonly FieldLine[] =>
  front === 'h2'
    ? [['te', 'trailers']]
    : [
        ['TE', 'trailers'],
        ['Connection', 'TE'],
      ];

const trailerOf = ({ response }: Transfer): string | undefined =>
  response && valueOf(response.trailers, NAME);

/** Judges a response with a trailer field: what became of the field, and of the content. */
async function judgeResponse(session: Session): Promise<Verdict> {
  const tag = session.newTag();
  const target = `/trailers?${NAME}=${VALUE}`;
  const transfer = await session.send(tagged(tag, { target, fields: takingTrailers(session) }));
  const { response } = transfer;
  if (!response) return fail('a response', transfer.ending, transfer);
  if (!(await session.hasObserved('arrival'))) return answeredByTarget({ transfer });
  if (transfer.ending !== 'complete' || !receivedOf(transfer, tag)) {
    const isWhole = transfer.ending === 'complete' && response.status === 200;
    const found = isWhole ? 'other content' : outcomeOf(transfer);
    return fail('the content of the origin, and its end', found, transfer);
  }
  // Fields that contain the target contain the trailer value, too, because it is part of the target.
  const fields = response.fields.filter(([, value]) => !value.includes(target));
  return judgeTrailer(fields, response.trailers, transfer);
}

/** Trailer fields of one message: two have the same name, so that order can be seen (RFC 9110 5.3). */
const SEVERAL: readonly FieldLine[] = [
  [NAME, 'first'],
  ['X-Check-Trailer-Other', 'second'],
  [NAME, 'third'],
];

/** What is left of the trailer fields of a message; one line may have the values of a name, as a list. */
function textOfSeveral(trailers: readonly FieldLine[]): string {
  const names = Array.from(new Set(SEVERAL.map(([name]) => name)));
  return names.map((name) => `${name}: ${valuesOf(trailers, name).join(', ')}`).join('; ');
}

/** Judges whether all of several trailer fields arrive, if one does. @returns undefined if none arrives */
function judgeSeveral(
  trailers: readonly FieldLine[],
  words: string,
  transfer: Transfer,
): Verdict | undefined {
  if (SEVERAL.every(([name]) => valuesOf(trailers, name).length === 0)) return undefined;
  const found = `${words}: ${textOfSeveral(trailers)}`;
  return expectSame(`${words}: ${textOfSeveral(SEVERAL)}`, found, transfer);
}

/** Trailers in both directions (RFC 9110 6.5). */
export const trailerChecks = topic(TRAILER, [
  {
    id: 'trailer/request',
    // For HTTP/2 it is RFC 9113 8.1. Both define trailers; RFC 9110 6.5.1 says how they may be forwarded.
    section: 'RFC 9112 7.1.2',
    rule: 'A request with trailers is accepted; they are forwarded or dropped, never merged into the header section.',
    level: 'must',
    async run(session) {
      const echo = await session.echo(withTrailers([NAME, VALUE]));
      const { transfer, received } = echo;
      if (transfer.response?.status === 411) {
        return differs('411: a length is required (RFC 9110 15.5.12)', transfer);
      }
      if (!received) return fail('the request arrives', withoutEcho(echo), transfer);
      const { fields, trailers, content } = received;
      if (content.toString() !== CONTENT) return judgeLoss(session, echo, content.length);
      return judgeTrailer(fields, trailers, transfer);
    },
  },
  isRefusedOrForwarded({
    id: 'trailer/request-forbidden',
    section: 'RFC 9110 6.5.1',
    rule: 'Trailers used for routing or authentication are never merged into the header section.',
    level: 'must',
    risk: 'security',
    needs: ['gateway'],
    after: ['trailer/request'],
    unusual: withTrailers(['X-Forwarded-For', ADDRESS], ['Authorization', CREDENTIALS]),
    ordinary: withTrailers([NAME, VALUE]),
    expected: 'no such header field',
    isSafe: ({ fields }) => mergedInto(fields, ADDRESS, CREDENTIALS) === undefined,
  }),
  {
    id: 'trailer/response',
    section: 'RFC 9110 6.5.1',
    rule: 'Response trailers are forwarded or dropped, never merged into the header section.',
    level: 'must',
    run: (session) =>
      metOften(
        () => judgeResponse(session),
        ({ outcome }) => outcome === 'fail',
      ),
  },
  {
    id: 'trailer/several',
    section: 'RFC 9110 5.3',
    rule: 'Of three trailer fields, two of them with one name, all are forwarded in order, or none.',
    async run(session) {
      const { received, transfer } = await session.echo(withTrailers(...SEVERAL));
      const query = SEVERAL.map(([name, value]) => `${name}=${value}`).join('&');
      const response = await session.send({
        target: session.unique(`/trailers?${query}`),
        fields: takingTrailers(session),
      });
      const verdicts = [
        judgeSeveral(received?.trailers ?? [], 'request', transfer),
        judgeSeveral(response.response?.trailers ?? [], 'response', response),
      ].filter((verdict) => verdict !== undefined);
      const finding = verdicts.find(({ outcome }) => outcome === 'fail');
      return finding ?? verdicts[0] ?? notApplicable('trailers are dropped');
    },
  },
  {
    id: 'trailer/te-kept',
    section: 'RFC 9113 8.2.2',
    rule: 'TE: trailers is forwarded to an HTTP/2 origin, which gRPC requires.',
    fronts: ['h2'],
    needs: ['h2-origin'],
    async run(session) {
      const echo = await session.echo({ fields: [['te', 'trailers']] });
      if (!echo.received) return notApplicable(withoutEcho(echo));
      return expectSame('trailers', valueOf(echo.received.fields, 'te') ?? 'no te', echo.transfer);
    },
  },
  {
    id: 'trailer/error',
    rule: 'Trailers of a response with 503 are forwarded if those of 200 are.',
    needs: ['http1-origin', 'raw'],
    after: ['trailer/response'],
    async run(session) {
      const get = async (status: number): Promise<Transfer> => {
        const head = `HTTP/1.1 ${status} -\r\nTrailer: X-Check-Trailer\r\nTransfer-Encoding: chunked`;
        const bytes = `${head}\r\n\r\n2\r\nab\r\n0\r\nX-Check-Trailer: value\r\n\r\n`;
        return session.send({ target: rawTarget(bytes), fields: takingTrailers(session) });
      };
      const ordinary = await get(200);
      if (trailerOf(ordinary) !== 'value') return notApplicable('those of 200 are not forwarded');
      const transfer = await get(503);
      return transfer.response?.status === 503
        ? expectSame('value', trailerOf(transfer) ?? 'no trailer', ordinary, transfer)
        : notApplicable(`503 is not forwarded: ${outcomeOf(transfer)}`);
    },
  },
]);
