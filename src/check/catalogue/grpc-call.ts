import { topic } from '../check.ts';
import { differs, fail, pass, type Verdict } from '../verdict.ts';
import { outcomeOf, valueOf, type FieldLine } from '../message.ts';
import { CALL, FIELDS, MESSAGE } from '../grpc-message.ts';
import type { Session } from '../session.ts';
import { whenCanceled } from './cancel.ts';
import { withoutEcho } from './received.ts';
import { Call, GRPC, WITH_METADATA } from './grpc.ts';

/** A slow response, which lasts longer than the check: 400 pieces in 4 s. */
const TARGET = '/drip?numbytes=400&duration=4';
/** Number of messages that the client sends. */
const MESSAGES = 3;

/** Seconds after the header section until the first message. */
const HELD = 1.5;

/** Nanoseconds of the units of grpc-timeout. */
const UNITS: Readonly<Record<string, number>> = {
  H: 3600e9,
  M: 60e9,
  S: 1e9,
  m: 1e6,
  u: 1e3,
  n: 1,
};
const TIMEOUTS = ['1H', '2M', '30S', '4000m', '5000000u', '99999999n'];

/** A timeout in nanoseconds; undefined if it is none. */
function nanoseconds(timeout: string | undefined): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(timeout ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] ?? 1);
}

async function judgeTimeout(session: Session, sent: string): Promise<Verdict> {
  const fields = FIELDS.map(([name, value]): FieldLine => [
    name,
    name === 'grpc-timeout' ? sent : value,
  ]);
  const echo = await session.echo({ ...CALL, fields });
  const { transfer, received } = echo;
  if (!received) return fail('an echo', withoutEcho(echo), transfer);
  const arrived = valueOf(received.fields, 'grpc-timeout');
  const found = `grpc-timeout: ${arrived ?? 'missing'} for ${sent}`;
  if (arrived === sent) return pass();
  const [time = Infinity, wanted = 0] = [nanoseconds(arrived), nanoseconds(sent)];
  // A proxy may shorten the deadline to a maximum of its own.
  return time > wanted ? fail(`grpc-timeout: ${sent}`, found, transfer) : differs(found, transfer);
}

/** Calls of gRPC that last: messages in both directions, the deadline, and the end by the client. */
export const grpcCallChecks = topic(GRPC, [
  {
    id: 'grpc/bidirectional',
    rule: 'In a call that lasts, messages of both sides are forwarded as they come.',
    risk: 'latency',
    phase: 'timed',
    async run(session) {
      const call = await Call.open(session, session.unique(TARGET));
      for (let count = 1; count <= MESSAGES; count++) {
        const before = call.stream.contentLength;
        await call.send();
        const bytes = count * MESSAGE.length;
        const hasArrived = (await call.arrivedInTime(bytes)) === bytes;
        const hasReceived = await call.hasReceived(before);
        if (hasArrived && hasReceived) continue;
        const transfer = await call.transfer();
        if (transfer.ending !== 'timeout') return fail('200', outcomeOf(transfer), transfer);
        const held = hasArrived ? 'messages of the origin' : `message ${count} of the client`;
        return fail('messages in turn', `${held} held back while the call is open`, transfer);
      }
      call.cancel();
      return pass(`${MESSAGES} messages`);
    },
  },
  {
    id: 'grpc/head',
    rule: 'The header section of a response, with its initial metadata, is forwarded before the first message.',
    risk: 'latency',
    phase: 'timed',
    async run(session) {
      const call = await Call.open(session, `${WITH_METADATA}&body_delay=${HELD}s`);
      await call.send(true);
      const isPrompt = await call.hasHead();
      const transfer = await call.transfer(session.time);
      if (transfer.response?.status !== 200) return fail('200', outcomeOf(transfer), transfer);
      return isPrompt
        ? pass()
        : fail('before the first message', 'held back until it comes', transfer);
    },
  },
  {
    id: 'grpc/deadline',
    section: 'RFC 9110 5.1',
    rule: 'The deadline of a call is not removed or extended: grpc-timeout, in each of its units.',
    async run(session) {
      const verdicts = await Promise.all(TIMEOUTS.map((each) => judgeTimeout(session, each)));
      const of = (wanted: Verdict['outcome']): Verdict | undefined =>
        verdicts.find(({ outcome }) => outcome === wanted);
      return of('fail') ?? of('differs') ?? pass(TIMEOUTS.join(', '));
    },
  },
  {
    id: 'grpc/cancel',
    section: 'RFC 9113 8.7',
    rule: 'A call that the client cancels while both sides are open is canceled at the origin.',
    risk: 'latency',
    phase: 'timed',
    async run(session) {
      const call = await Call.open(session, session.unique(TARGET));
      await call.send();
      await call.hasReceived(0);
      return whenCanceled(session, call.tag, () => call.cancel());
    },
  },
]);
