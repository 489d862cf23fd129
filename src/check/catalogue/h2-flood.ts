import { setImmediate as turn } from 'node:timers/promises';
import { literals } from '../../wire/http2/hpack-encoder.ts';
import { Flag, FrameType, SettingId, uint32 } from '../../wire/http2/frame.ts';
import { errorCodeName } from '../../wire/http2/names.ts';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass } from '../verdict.ts';
import type { Http2Client } from '../client/http2-client.ts';
import { PING_DATA } from '../client/http2-frames.ts';
import { outcomeOf } from '../message.ts';
import { TAG, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { KiB } from './bounds.ts';
import { ERROR_CANCEL } from './cancel.ts';
import { withoutEcho } from './received.ts';
import { pseudo } from './h2-request.ts';

const FLOOD = {
  section: 'RFC 9113 10.5',
  level: 'quality',
  risk: 'security',
  fronts: ['h2'],
  isDestructive: true,
} as const;

const CONTINUATIONS = 1024;
/** Bytes of a field section: more than any proxy accepts by default. */
const BLOCK = CONTINUATIONS * 2 * KiB;
const CONTINUATION = literals([['x-check-flood', 'x'.repeat(2 * KiB)]]);
const LAST_CONTINUATION = literals([['x-check-flood', 'end']]);
/** Number of frames that are sent before received frames are processed. */
const FRAMES_AT_ONCE = 20;

/** Number of journal keys, and requests with each: as many as the journal keeps for a key by default. */
const RESET_TAGS = 12;
const RESETS_OF_TAG = 100;
const RESETS = RESET_TAGS * RESETS_OF_TAG;
/** Finding: more requests reach the origin than are usually in process at once, or forwarded before the reset. */
const TOO_MANY = RESETS / 2;

const isOver = ({ isClosed, goaway }: Http2Client): boolean => isClosed || goaway !== undefined;

function connectionState({ goaway, isClosed }: Http2Client): string {
  if (goaway) return `ended by GOAWAY with ${errorCodeName(goaway.code)}`;
  return isClosed ? 'closed' : 'open';
}

/**
 * Sends requests and resets each at once. After those of each tag, goes on only if the target acknowledges a PING.
 *
 * @returns the tags
 */
async function resetFlood(session: Session, client: Http2Client): Promise<string[]> {
  const tags: string[] = [];
  const isRead = (): boolean => isOver(client) || client.pongs === tags.length;
  while (tags.length < RESET_TAGS && !isOver(client)) {
    const tag = session.newTag();
    tags.push(tag);
    client.opened.stream.cork();
    for (let at = 0; at < RESETS_OF_TAG; at++) {
      const { id } = client.start(tagged(tag, { target: `/status/204?check=${tag}` }));
      client.sendFrame(FrameType.rstStream, 0, id, uint32(ERROR_CANCEL));
    }
    client.sendFrame(FrameType.ping, 0, 0, PING_DATA);
    client.opened.stream.uncork();
    if (!(await client.until(isRead, session.time))) break;
  }
  return tags;
}

/**
 * Counts the requests that reached the origin, up to `TOO_MANY`.
 *
 * @param time seconds to wait for the first ones after the last one was sent
 */
async function arrivals(session: Session, tags: readonly string[], time: number): Promise<number> {
  let count = 0;
  for (const [at, tag] of tags.entries()) {
    if (count >= TOO_MANY) break;
    // If all requests of the previous tags have arrived, those of this tag may still be on their way.
    const areAll = count === at * RESETS_OF_TAG;
    const timeout = at === 0 ? time : session.time / 2000;
    const query = areAll ? `?wait=${RESETS_OF_TAG}&timeout=${timeout}` : '';
    count += (await session.arrived(tag, query)).length;
  }
  return count;
}

/** Begins a request and sends CONTINUATION frames until the target ends it, or to the limit of the check. */
async function endlessBlock(session: Session, client: Http2Client) {
  const tag = session.newTag();
  const fields = [...pseudo(session, tag), [TAG.toLowerCase(), tag] as const];
  const stream = client.begin(fields, true, false);
  const isEnded = (): boolean =>
    isOver(client) || stream.resetCode !== undefined || stream.head !== undefined;
  for (let sent = 0; sent < CONTINUATIONS && !isEnded(); sent++) {
    client.sendFrame(FrameType.continuation, 0, stream.id, CONTINUATION, []);
    if (sent % FRAMES_AT_ONCE === 0) await turn();
  }
  return { stream, isEnded: await client.until(isEnded, session.time / 2) };
}

/** Floods of frames that are valid one by one, but cost the receiver more than the sender. */
export const http2FloodChecks = topic(FLOOD, [
  {
    id: 'h2/continuation-flood',
    rule: 'A field block that does not end is not read on: the stream is refused, or the connection closed.',
    observes: 'target',
    async run(session) {
      const client = await session.openHttp2();
      const allowed = client.settings?.get(SettingId.maxHeaderListSize) ?? 0;
      if (allowed >= BLOCK) return notApplicable('the SETTINGS of the target allow it');
      const { stream, isEnded } = await endlessBlock(session, client);
      if (!isEnded) {
        client.sendFrame(FrameType.continuation, Flag.endHeaders, stream.id, LAST_CONTINUATION, []);
      }
      const transfer = session.record(await client.finish(stream, session.time));
      if (isEnded) return pass(isOver(client) ? connectionState(client) : outcomeOf(transfer));
      if (transfer.ending === 'timeout') return differs('not ended, and not read either', transfer);
      return fail(
        'an end before that of the field block',
        `2 MiB in ${CONTINUATIONS} CONTINUATION frames until END_HEADERS, then ${outcomeOf(transfer)}`,
        transfer,
      );
    },
  },
  {
    id: 'h2/reset-flood',
    rule: 'Requests that are reset at once end the connection, or most do not reach the origin; others are served.',
    needs: ['gateway', 'journal'],
    after: ['h2/ping'],
    phase: 'alone',
    async run(session) {
      const [client, other] = [await session.openHttp2(), await session.openHttp2()];
      const flood = resetFlood(session, client);
      const during = await session.echoOn(other);
      const tags = await flood;
      const later = await session.echoOn(other);
      const { transfer } = client;
      const unserved = [during, later].find(({ received }) => !received);
      if (unserved)
        return fail(
          'another connection is served',
          withoutEcho(unserved),
          transfer,
          unserved.transfer,
        );
      const count = await arrivals(session, tags, isOver(client) ? 0 : session.time / 4000);
      const sent = `of ${tags.length * RESETS_OF_TAG} at the origin`;
      return isOver(client) || count < TOO_MANY
        ? pass(`${count} ${sent}, the connection ${connectionState(client)}`)
        : fail('fewer, or the connection closed', `at least ${count} ${sent}`, transfer);
    },
  },
]);
