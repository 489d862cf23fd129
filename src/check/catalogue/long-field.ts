import { topic, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, valuesOf, type FieldLine, type Transfer } from '../message.ts';
import { LARGE_HEAD } from '../remedy.ts';
import type { Session } from '../session.ts';
import { KiB } from './bounds.ts';

/** Bytes of values: a usual one, and each that is the first above a common limit. */
const USUAL = 40;
const BEYOND = [4, 8, 16].map((size) => size * KiB + 1);
const SIZES = BEYOND.map((size) => size.toLocaleString('en')).join(', ');

/** A field name, and a value of it of so many bytes. */
type Named = readonly [name: string, valueOf: (length: number) => string];

const cookies = (length: number): string =>
  Array.from({ length: Math.ceil(length / USUAL) }, (_, at) => `c${at}=`.padEnd(USUAL - 2, 'x'))
    .join('; ')
    .padEnd(length, 'x')
    .slice(0, length);

/** Fields of requests, of which the origin acts on none. */
const REQUEST: readonly Named[] = [
  ['Cookie', cookies],
  ['Authorization', (length) => 'Bearer '.padEnd(length, 'x')],
  ['Referer', (length) => 'http://www.example/'.padEnd(length, 'x')],
  ['User-Agent', (length) => 'check/'.padEnd(length, 'x')],
  ['X-Check-Long', (length) => 'x'.repeat(length)],
];

const RESPONSE: readonly Named[] = [
  ['Set-Cookie', (length) => 'check='.padEnd(length, 'x')],
  ['Location', (length) => '/anything/'.padEnd(length, 'x')],
  ['Link', (length) => `</${'x'.repeat(length - 16)}>; rel=preload`],
  ['Content-Security-Policy', (length) => 'default-src '.padEnd(length, 'x')],
  ['X-Check-Long', (length) => 'x'.repeat(length)],
];

interface Arrival {
  readonly transfer: Transfer;
  /** The values that arrived, by the name; undefined if the message was refused. */
  readonly values: ((name: string) => readonly string[]) | undefined;
}

/** Sends a message with the fields, in one direction. */
type Send = (session: Session, lines: readonly FieldLine[]) => Promise<Arrival>;

const inRequest: Send = async (session, fields) => {
  const { transfer, received } = await session.echo({ fields });
  if (!received) return { transfer, values: undefined };
  const values = (name: string): readonly string[] => {
    const lines = valuesOf(received.fields, name);
    // RFC 9113 8.2.3: on HTTP/2 each cookie may be a line of its own.
    const isCrumbs = name === 'Cookie' && received.version === 'HTTP/2.0' && lines.length > 0;
    return isCrumbs ? [lines.join('; ')] : lines;
  };
  return { transfer, values };
};

const inResponse: Send = async (session, lines) => {
  const header = lines.map((line) => line.join(': '));
  const content = JSON.stringify({ then: { status: 200, header } });
  const target = `/respond/${session.newTag()}`;
  const fields = [['Content-Type', 'application/json']] as const;
  const transfer = await session.send({ method: 'POST', target, fields, content });
  const { status, fields: received = [] } = transfer.response ?? {};
  const isRefused = transfer.ending !== 'complete' || (status !== undefined && status >= 400);
  return { transfer, values: isRefused ? undefined : (name) => valuesOf(received, name) };
};

/** The verdict on one field: of values that grow until one is refused. */
async function judgeField(session: Session, send: Send, [name, valueOf]: Named): Promise<Verdict> {
  for (const length of BEYOND) {
    const value = valueOf(length);
    const { transfer, values } = await send(session, [[name, value]]);
    const what = `${name} of ${length} bytes`;
    if (!values)
      return length === BEYOND[0] ? differs(`${what}: ${outcomeOf(transfer)}`, transfer) : pass();
    const arrived = values(name);
    if (arrived.length === 1 && arrived[0] === value) continue;
    const rest = arrived.join(' | ').length;
    const found = arrived.length === 0 ? 'without the field' : `with ${rest} of them`;
    return fail('all of it, or an error', `${what}: forwarded ${found}`, transfer);
  }
  return pass();
}

/** A check that long values of fields are forwarded whole, or the message is refused. */
const forwardsWhole = (
  rule: Pick<TopicCheck, 'id' | 'rule' | 'level' | 'remedy'>,
  named: readonly Named[],
  send: Send,
): TopicCheck => ({
  ...rule,
  async run(session) {
    const usual = await send(
      session,
      named.map(([name, valueOf]) => [name, valueOf(USUAL)]),
    );
    // Those that the target replaces or removes in any case are not what this is about.
    const kept = named.filter(
      ([name, valueOf]) => usual.values?.(name).join(' | ') === valueOf(USUAL),
    );
    if (kept.length === 0)
      return notApplicable(`no such field arrives: ${outcomeOf(usual.transfer)}`);
    const verdicts = await Promise.all(kept.map((each) => judgeField(session, send, each)));
    const of = (wanted: Verdict['outcome']): Verdict | undefined =>
      verdicts.find(({ outcome }) => outcome === wanted);
    return of('fail') ?? of('differs') ?? pass(kept.map(([name]) => name).join(', '));
  },
});

const namesOf = (named: readonly Named[]): string => named.map(([name]) => name).join(', ');

/** Long values of fields that are in use: a proxy may have a limit for one of them. */
export const longFieldChecks = topic(
  { section: 'RFC 9110 5.4', level: 'must', risk: 'data-loss', needs: ['journal'] },
  [
    forwardsWhole(
      {
        id: 'limit/known-field',
        rule: `A value of ${SIZES} bytes is forwarded whole, or the request is refused: ${namesOf(REQUEST)}.`,
      },
      REQUEST,
      inRequest,
    ),
    forwardsWhole(
      {
        id: 'limit/response-field',
        remedy: LARGE_HEAD,
        rule: `A value of ${SIZES} bytes is forwarded whole, or an error is returned: ${namesOf(RESPONSE)}.`,
        // A client may truncate what can safely be ignored, a gateway does not know.
        level: 'quality',
      },
      RESPONSE,
      inResponse,
    ),
  ],
);
