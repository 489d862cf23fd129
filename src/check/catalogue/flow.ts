import { FrameType, uint32 } from '../../wire/http2/frame.ts';
import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, fail, notApplicable, pass, type Verdict } from '../verdict.ts';
import type { Http2Client } from '../client/http2-client.ts';
import { roundTripsSchema, sentSettingsSchema } from '../../endpoints/h2.ts';
import { outcomeOf, type Transfer } from '../message.ts';
import { reader, receivedOf, tagged } from '../origin.ts';
import type { Session } from '../session.ts';
import { counted } from '../words.ts';
import { POOL_ATTEMPTS } from './bounds.ts';
import { ERROR_CANCEL } from './cancel.ts';
import { FrontConnection } from './front-connection.ts';

const FLOW = {
  section: 'RFC 9113 5.2',
  level: 'must',
  risk: 'interop',
  needs: ['gateway', 'faults', 'journal', 'h2-origin'],
  phase: 'alone',
} as const;

const sentSettingsOf = reader(sentSettingsSchema);
const roundTripsOf = reader(roundTripsSchema);

/** Bytes of an upload that exceed both initial flow-control windows of an origin. */
const UPLOAD = 200_000;

/** A check that the target respects a flow-control window of the origin, and sends all content in the end. */
function windowIsKept(scope: 'stream' | 'connection'): TopicCheck {
  return {
    id: `flow/${scope}-window`,
    section: 'RFC 9113 6.9.1',
    rule: `An upload respects the ${scope} flow-control window of the origin, and continues when it opens.`,
    async run(session) {
      const tag = session.newTag();
      const transfer = await session.send(
        tagged(tag, {
          method: 'POST',
          target: `/fault/no-read?for=0.5&scope=${scope}`,
          content: Buffer.alloc(UPLOAD, 'x'),
        }),
      );
      if (transfer.response?.status === 413) return notApplicable('the target refuses the content');
      return transfer.response?.status === 200 && transfer.ending === 'complete'
        ? pass()
        : fail('200', outcomeOf(transfer), transfer);
    },
  };
}

/** Seconds, the maximum of `ackTimeout()`. */
const MAX_ACK_TIMEOUT = 30;
/** Parameter: how long the origin waits for an acknowledgement, so short that it can still respond in time. */
const ackTimeout = ({ time }: Session): string =>
  `timeout=${Math.min(time / 2000, MAX_ACK_TIMEOUT)}`;

/** The result of a request that has the origin send SETTINGS. */
interface SettingsChange {
  readonly transfer: Transfer;
  readonly isAcknowledged: boolean;
  /** The connection to the origin, as the journal names it. */
  readonly conn: string | undefined;
}

/** Has the origin send SETTINGS on the connection on which it receives the request. */
async function changeSettings(
  session: Session,
  client: Http2Client,
  query: string,
): Promise<SettingsChange> {
  const tag = session.newTag();
  const message = tagged(tag, {
    target: `/h2/settings?${query}&${ackTimeout(session)}`,
  });
  const transfer = await session.sendOn(client, message);
  const [entry] = await session.arrived(tag);
  const { acknowledged = false } = sentSettingsOf(transfer.response) ?? {};
  return { transfer, isAcknowledged: acknowledged, conn: entry?.conn };
}

/**
 * Repeats `changeSettings()` until a request takes the connection `conn`; a target may have several to the origin.
 *
 * @returns whether one did
 */
async function restoreSettings(
  session: Session,
  client: Http2Client,
  query: string,
  conn: SettingsChange['conn'],
): Promise<boolean> {
  for (let attempt = 0; attempt < 5 && !client.isClosed; attempt++) {
    const change = await changeSettings(session, client, query);
    if (change.conn === conn) return true;
  }
  return false;
}

/**
 * A check of what the target does after the origin changes SETTINGS. They are restored afterwards.
 *
 * @param judge returns `not-applicable` if the request took another connection to the origin
 */
function afterSettings({
  settings: [query, restored],
  judge,
  ...rule
}: FamilyRule & {
  readonly settings: readonly [string, string];
  readonly judge: (
    session: Session,
    client: Http2Client,
    change: SettingsChange,
  ) => Promise<Verdict>;
}): TopicCheck {
  return {
    ...rule,
    fronts: ['h2'],
    async run(session) {
      for (let attempt = 0; attempt < POOL_ATTEMPTS; attempt++) {
        const client = await session.openHttp2();
        const change = await changeSettings(session, client, query);
        if (!change.isAcknowledged) {
          return fail('acknowledged', outcomeOf(change.transfer), change.transfer);
        }
        try {
          const verdict = await judge(session, client, change);
          if (verdict.outcome !== 'not-applicable') return verdict;
        } finally {
          await restoreSettings(session, client, restored, change.conn);
        }
      }
      return notApplicable('the requests took other connections');
    },
  };
}

/** Attempts to reach a certain connection after a change of SETTINGS: a target may alternate between several. */
const REQUESTS = 6;

const OPEN_WINDOW = 'initial_window_size=65535';

/**
 * Whether the origin has reset the stream because of the content. It applies a larger window at the acknowledgement of
 * its SETTINGS, although a target that has received them may use it (RFC 9113 6.5.3).
 */
async function isRefusedAsTooMuch(session: Session, tag: string): Promise<boolean> {
  const entries = await session.arrived(tag);
  return entries.some(({ cause }) => cause?.error_code === 'FLOW_CONTROL_ERROR');
}

async function contentWaits(session: Session, client: Http2Client, { conn }: SettingsChange) {
  const content = Buffer.from('content');
  for (let attempt = 0; attempt < REQUESTS; attempt++) {
    const tag = session.newTag();
    const stream = client.start(
      tagged(tag, { method: 'POST', target: `/anything/${tag}`, content }),
    );
    await client.sendContent(stream, content, session.time);
    const isOver = (): boolean => stream.isEnded || stream.resetCode !== undefined;
    const isEarly = await client.until(isOver, 300);
    if (!isEarly && !(await restoreSettings(session, client, OPEN_WINDOW, conn))) {
      client.sendFrame(FrameType.rstStream, 0, stream.id, uint32(ERROR_CANCEL));
      return notApplicable('the requests that open the window took other connections');
    }
    const transfer = session.record(await client.finish(stream, session.time));
    const received = receivedOf(transfer, tag);
    if (!isEarly && (await isRefusedAsTooMuch(session, tag)))
      return differs(
        'content before the acknowledgement of SETTINGS that open the window',
        transfer,
      );
    if (received && received.connection !== conn) {
      if (isEarly) continue;
      break;
    }
    if (isEarly) {
      const found = `${outcomeOf(transfer)} before`;
      return fail('content only after the window opens', found, transfer);
    }
    return received?.content.equals(content)
      ? pass()
      : fail('the request is served', outcomeOf(transfer), transfer);
  }
  return notApplicable('the requests took other connections');
}

/** An origin on HTTP/2 that limits what it is sent (RFC 9113 5.2, 6.5). */
export const flowChecks = topic(FLOW, [
  windowIsKept('stream'),
  windowIsKept('connection'),
  {
    id: 'flow/settings',
    section: 'RFC 9113 6.5.3',
    rule: 'SETTINGS from the origin on an open connection are acknowledged.',
    async run(session) {
      const connection = new FrontConnection(session);
      const transfer = await connection.send({
        target: `/h2/settings?initial_window_size=65535&${ackTimeout(session)}`,
      });
      const sent = sentSettingsOf(transfer.response);
      return sent?.acknowledged === true
        ? pass(`after ${sent.time_ms} ms`)
        : fail('an acknowledgement', outcomeOf(transfer), transfer);
    },
  },
  {
    id: 'flow/ping',
    section: 'RFC 9113 6.7',
    rule: 'PING from the origin is acknowledged.',
    async run(session) {
      const transfer = await session.send({ target: `/h2/ping?${ackTimeout(session)}` });
      const [time = null] = roundTripsOf(transfer.response)?.times_ms ?? [];
      return time !== null
        ? pass(`after ${time} ms`)
        : fail('an acknowledgement with the same payload', outcomeOf(transfer), transfer);
    },
  },
  afterSettings({
    id: 'flow/window-0',
    section: 'RFC 9113 6.9.2',
    rule: 'Content waits while SETTINGS_INITIAL_WINDOW_SIZE of the origin is 0, and continues when it increases.',
    settings: ['initial_window_size=0', OPEN_WINDOW],
    judge: contentWaits,
  }),
  afterSettings({
    id: 'flow/max-streams',
    section: 'RFC 9113 5.1.2',
    rule: 'If the origin allows only one concurrent stream, other requests wait or use another connection.',
    settings: ['max_concurrent_streams=1', 'max_concurrent_streams=250'],
    judge: async (session, client) => {
      const tags = Array.from({ length: 4 }, () => session.newTag());
      const streams = tags.map((tag) =>
        client.start(tagged(tag, { target: session.unique('/delay/0.1') })),
      );
      const transfers = await Promise.all(
        streams.map(async (stream) => client.finish(stream, session.time)),
      );
      const failed = transfers.find((transfer) => transfer.response?.status !== 200);
      if (failed) return fail('four responses', outcomeOf(failed), session.record(failed));
      const entries = await Promise.all(tags.map(async (tag) => session.arrived(tag)));
      const connections = new Set(entries.map(([entry]) => entry?.conn)).size;
      return pass(counted(connections, 'connection'));
    },
  }),
  afterSettings({
    id: 'flow/header-table',
    section: 'RFC 9113 4.3.1',
    rule: 'After the origin reduces its HPACK table, the next field block starts with a table size update.',
    settings: ['header_table_size=0', 'header_table_size=4096'],
    judge: async (session, client, { conn }) => {
      let served = 0;
      for (let attempt = 0; attempt < REQUESTS && served < 3; attempt++) {
        const tag = session.newTag();
        const message = { target: `/anything/${tag}`, fields: [['x-check', 'table'] as const] };
        const transfer = await session.sendOn(client, tagged(tag, message));
        const received = receivedOf(transfer, tag);
        if (received && received.connection !== conn) continue;
        const fields = received?.fields ?? [];
        if (!fields.some(([name, value]) => name === 'x-check' && value === 'table')) {
          return fail('a request that the origin decodes', outcomeOf(transfer), transfer);
        }
        served++;
      }
      if (served === 0) return notApplicable('the requests took other connections');
      return pass();
    },
  }),
]);
