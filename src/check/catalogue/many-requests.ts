import type { Check, FamilyRule } from '../check.ts';
import { topic } from '../check.ts';
import { FRONTS } from '../front.ts';
import { outcomeOf, type FieldLine, type RequestMessage, type Transfer } from '../message.ts';
import { contentObject, isEcho } from '../origin.ts';
import type { Echo, Session } from '../session.ts';
import type { Client } from '../target.ts';
import { differs, fail, pass, type Verdict } from '../verdict.ts';
import { counted } from '../words.ts';
import { isAnnounced } from './connection.ts';
import { FrontConnection } from './front-connection.ts';
import { withoutEcho } from './received.ts';

/** Requests on one connection, one after the other, each answered by the origin. */
const FEW = 21;
const MANY = 101;
const THOUSAND = 1001;

/** In fields of one request and its response only. */
const MARKED = 'X-Check-Marked';

/** Requests that are sent in turn between echoes: their responses end in different ways. */
const BETWEEN: readonly RequestMessage[] = [
  { method: 'HEAD', target: '/range/1000' },
  { target: '/status/204' },
  { target: '/stream-bytes/1000' },
  { target: '/range/1000', fields: [['If-None-Match', '"range-1000"']] },
  { method: 'POST', target: '/upload', content: 'content', framing: 'chunked' },
  { target: '/status/503' },
  {
    target: `/response-headers?Set-Cookie=${MARKED}&${MARKED}=1`,
    fields: [
      ['Authorization', `Bearer ${MARKED}`],
      ['Cookie', MARKED],
    ],
  },
];

/** A field that belongs to another request, or to its response. */
const leaked = ({ received, transfer }: Echo): FieldLine | undefined =>
  [...(received?.fields ?? []), ...(transfer.response?.fields ?? [])].find((line) =>
    line.some((each) => each.includes(MARKED)),
  );

/** Judges whether each request of a connection gets the response to it. */
async function judgeOwn(session: Session): Promise<Verdict> {
  const front = new FrontConnection(session);
  let before: Transfer | undefined;
  for (let number = 1; number <= FEW; number++) {
    const message = number % 2 === 0 ? BETWEEN[(number / 2 - 1) % BETWEEN.length] : undefined;
    if (message) {
      before = await front.send(message);
      continue;
    }
    const echo = await front.echo(number % 3 === 0 ? { method: 'POST', content: 'content' } : {});
    if (!echo.received) {
      const { transfer } = echo;
      // RFC 9112 9.3.1: a connection may be closed at any time; whether that is announced is another rule.
      if (!transfer.response)
        return differs(`${outcomeOf(transfer)} to request ${number}`, transfer);
      const isOther = isEcho(contentObject(transfer.response));
      const found = isOther ? 'the response to another request' : withoutEcho(echo);
      const evidence = before ? [before, transfer] : [transfer];
      return fail(
        'its own response',
        `${found}, to request ${number} of a connection`,
        ...evidence,
      );
    }
    const field = leaked(echo);
    if (field) {
      const found = `${field.join(': ')}, to request ${number} of a connection`;
      return fail(
        'no field of another exchange',
        found,
        ...(before ? [before] : []),
        echo.transfer,
      );
    }
    before = echo.transfer;
  }
  return pass(counted(FEW, 'request'));
}

/** Clients that send requests at once, one after the other each. */
const CLIENTS = 8;
const ROUNDS = 4;

/** Judges whether a request of the run has got the response to another, and sends many at once before. */
async function judgeMixedUp(session: Session): Promise<Verdict> {
  const { mixedUp } = session.target;
  const fronts = Array.from({ length: CLIENTS }, () => new FrontConnection(session));
  for (let round = 0; round < ROUNDS && mixedUp.length === 0; round++)
    await Promise.all(fronts.map((front) => front.echo()));
  const [transfer] = mixedUp;
  if (!transfer) return pass(`${counted(CLIENTS * ROUNDS, 'request')}, and those of all checks`);
  const found = `the response to another request, ${counted(mixedUp.length, 'time')} in this run`;
  return fail('its own response', found, transfer);
}

/** Judges whether so many requests are served, and no connection is closed without a notice. */
async function judgeClosing(session: Session, count: number): Promise<Verdict> {
  let client: Client | undefined;
  let served = 0;
  let most = 0;
  for (let number = 1; number <= count; number++) {
    client ??= await session.open();
    const echo = await session.echoOn(client);
    const { transfer, received } = echo;
    const isLost = !transfer.response && transfer.ending !== 'timeout' && served > 0;
    if (isLost || (received && !transfer.isReusable && !isAnnounced(client, transfer))) {
      const found = `closed after ${counted(served + Number(!isLost), 'request')}, without notice`;
      return fail('a notice before the connection is closed', found, transfer);
    }
    if (!received)
      return fail(`${count} requests are served`, `${number}: ${withoutEcho(echo)}`, transfer);
    served++;
    most = Math.max(most, served);
    if (transfer.isReusable) continue;
    client = undefined;
    served = 0;
  }
  return pass(
    most < count
      ? `closed after ${counted(most, 'request')}, with notice`
      : counted(most, 'request'),
  );
}

const closesWithNotice = (count: number, rule: Pick<FamilyRule, 'id'> & Partial<Check>) => ({
  section: 'RFC 9112 9.6',
  level: 'should' as const,
  risk: 'data-loss' as const,
  rule: `${count.toLocaleString('en')} requests are served one after the other, and a connection is not closed between them without Connection: close or GOAWAY.`,
  // One that closes after each response is what that check is about.
  after: ['connection/close-announced'] as const,
  run: (session: Session) => judgeClosing(session, count),
  ...rule,
});

/** Connections of clients that serve many requests. */
export const manyRequestChecks = topic(
  { section: 'RFC 9112 9.2', level: 'must', risk: 'security', fronts: FRONTS },
  [
    {
      id: 'connection/own-responses',
      rule: `Each of ${FEW} requests of a connection gets its own response, without fields of those before, also after responses without content and with errors.`,
      run: judgeOwn,
    },
    {
      id: 'connection/mixed-up',
      rule: `No request gets the response to another: ${CLIENTS * ROUNDS} that are sent at once by ${CLIENTS} clients, and all that other checks have sent.`,
      observes: 'echo',
      // After all others, whose responses it judges.
      phase: 'last',
      run: judgeMixedUp,
    },
    closesWithNotice(MANY, { id: 'connection/many-requests' }),
    closesWithNotice(THOUSAND, { id: 'connection/thousand-requests', isSlow: true }),
  ],
);
