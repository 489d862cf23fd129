import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { topic, type TopicCheck } from '../check.ts';
import { differs, expectSame, fail, notApplicable, pass } from '../verdict.ts';
import { BETWEEN_PIECES } from '../client/hello-exchange.ts';
import { Http2Client } from '../client/http2-client.ts';
import { FRONTS } from '../front.ts';
import { listOf, outcomeOf, valueOf, type FieldLine, type Transfer } from '../message.ts';
import { receivedOf } from '../origin.ts';
import type { Client } from '../target.ts';
import { POOL_ATTEMPTS } from './bounds.ts';
import { rawRequest } from './refusal.ts';

const CONNECTION = {
  section: 'RFC 9112 9.3',
  level: 'quality',
  risk: 'latency',
  fronts: ['http/1.1'],
} as const;

/** Unique values in the fields of requests. */
const MARK = /\bcheck-[\da-f]{12}\b/g;

/** Milliseconds after a response within which a target that does not persist connections closes them. */
const AT_ONCE = 100;

/** Whether the target has said that it closes the connection: by Connection: close, or by GOAWAY. */
export function isAnnounced(client: Client, { response }: Transfer): boolean {
  if (client instanceof Http2Client) return client.goaway !== undefined;
  return listOf(response?.fields ?? [], 'connection').includes('close');
}

const isClosedAtOnce = (client: Client): Promise<boolean> =>
  client instanceof Http2Client
    ? client.until(() => client.isClosed, AT_ONCE)
    : client.closed(AT_ONCE);

/** Number of clients, which send one request each, one after the other, with fields of their own. */
const CLIENTS = 6;

/** Seconds that the first of two pipelined requests takes: long enough for the second to come meanwhile. */
const SERVED = 1;

/** A check of two pipelined requests: in one segment, or the second while the first is served. */
function pipelined(id: `connection/${string}`, rule: string, isLater: boolean): TopicCheck {
  return {
    id,
    section: 'RFC 9112 9.3.2',
    rule,
    level: 'must',
    risk: 'data-loss',
    async run(session) {
      const client = await session.openHttp1();
      const { time } = session;
      const request = (target: string): Buffer =>
        Buffer.from(rawRequest(session, session.newTag(), { target: session.unique(target) }));
      const one = request(isLater ? `/respond?status=201&delay=${SERVED}s` : '/status/201');
      const two = request('/status/202');
      const queueTrailers = async (): Promise<string> => {
        await pause(BETWEEN_PIECES);
        client.write(two);
        return two.toString('latin1');
      };
      const first = session.record(
        isLater
          ? await client.exchange(one, 'GET', { time }, queueTrailers)
          : await client.exchange(Buffer.concat([one, two]), 'GET', { time }),
      );
      if (first.response?.status !== 201) return fail('201 first', outcomeOf(first), first);
      // RFC 9112 9.3.2: after `Connection: close` the client has to send unanswered requests again.
      if (listOf(first.response.fields, 'connection').includes('close'))
        return differs('closed after the first response', first);
      const second = await session.rawOn(client);
      if (!second.response && client.isEnded)
        return differs('closed after the first response, without Connection: close', first, second);
      return expectSame('202', outcomeOf(second), first, second);
    },
  };
}

/** Connections to the client and to the origin (RFC 9112 9). */
export const connectionChecks = topic(CONNECTION, [
  {
    id: 'connection/persistent',
    rule: 'A connection serves several requests in sequence.',
    async run(session) {
      const client = await session.openHttp1();
      for (let number = 1; number <= 3; number++) {
        const { transfer, received } = await session.echoOn(client);
        if (transfer.received === '' && client.isEnded && number > 1)
          return differs(`closed after ${number - 1}, without Connection: close`, transfer);
        if (!received) return fail('three responses', `${number - 1}`, transfer);
        if (!transfer.isReusable && number < 3) return differs(`closed after ${number}`, transfer);
      }
      return pass();
    },
  },
  {
    id: 'connection/close-announced',
    rule: 'A response after which the target closes the connection has Connection: close.',
    level: 'must',
    risk: 'interop',
    fronts: FRONTS,
    async run(session) {
      let unannounced: Transfer | undefined;
      for (let attempt = 0; attempt < POOL_ATTEMPTS; attempt++) {
        const client = await session.open();
        const { transfer } = await session.echoOn(client);
        if (transfer.ending !== 'complete') return notApplicable(outcomeOf(transfer));
        if (isAnnounced(client, transfer)) return pass('announced');
        if (!(await isClosedAtOnce(client))) return pass('the connection stays open');
        if (isAnnounced(client, transfer)) return pass('announced');
        unannounced = transfer;
      }
      // GOAWAY before the end of a connection is only a SHOULD (RFC 9113 6.8).
      const found = 'the connection is closed after the response';
      if (!unannounced || session.front === 'h2') return differs(found);
      return fail('Connection: close', found, unannounced);
    },
  },
  {
    id: 'connection/close',
    section: 'RFC 9112 9.6',
    rule: 'The connection is closed after a request with Connection: close.',
    level: 'must',
    risk: 'interop',
    async run(session) {
      const client = await session.openHttp1();
      const message = { target: '/healthz', fields: [['Connection', 'close'] as const] };
      const transfer = await session.sendOn(client, message);
      return (await client.closed(session.time))
        ? pass()
        : fail('the connection closed', 'it stays open', transfer);
    },
  },
  {
    id: 'connection/origin-closes',
    section: 'RFC 9112 9.6',
    rule: 'Connection: close from the origin does not close the connection of the client.',
    needs: ['gateway', 'http1-origin'],
    async run(session) {
      const client = await session.openHttp1();
      const message = { target: '/anything?connection=close' };
      const transfer = await session.sendOn(client, message);
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      return listOf(transfer.response.fields, 'connection').includes('close')
        ? differs('the connection of the client is closed too', transfer)
        : pass();
    },
  },
  pipelined(
    'connection/pipelining',
    'Pipelined requests that come in one segment are answered in order.',
    false,
  ),
  pipelined(
    'connection/pipelining-later',
    'A pipelined request that comes while the one before it is served is answered after it.',
    true,
  ),
  {
    id: 'connection/http10',
    section: 'RFC 9112 6.1',
    rule: 'An HTTP/1.0 client receives a response without Transfer-Encoding.',
    level: 'must',
    risk: 'interop',
    async run(session) {
      const transfer = await session.raw(
        rawRequest(session, session.newTag(), {
          target: session.unique('/stream-bytes/5000'),
          version: 'HTTP/1.0',
        }),
      );
      if (!transfer.response) return fail('a response', transfer.ending, transfer);
      const { status } = transfer.response;
      if (status >= 400) return differs(`HTTP/1.0 is refused with ${status}`, transfer);
      const coding = valueOf(transfer.response.fields, 'transfer-encoding');
      if (coding !== undefined) return fail('no Transfer-Encoding', coding, transfer);
      return expectSame('5000 bytes', `${transfer.response.content.length} bytes`, transfer);
    },
  },
  {
    id: 'connection/fields-of-others',
    section: 'RFC 9110 7.7',
    rule: 'Fields of one client never appear in the request of another client.',
    fronts: FRONTS,
    level: 'must',
    risk: 'security',
    async run(session) {
      const transfers: Transfer[] = [];
      for (let at = 0; at < CLIENTS; at++) {
        const own = session.newTag();
        // Every third client sends no cookie: it must not get that of the client before.
        const cookie: FieldLine[] = at % 3 === 2 ? [] : [['Cookie', `client=${own}`]];
        const echo = await session.echo({ fields: [['X-Check-Client', own], ...cookie] });
        transfers.push(echo.transfer);
        // Also finds the fields of other checks, which send requests at the same time.
        const other = echo.received?.fields.find(([, value]) =>
          value.match(MARK)?.some((mark) => mark !== own && mark !== echo.tag),
        );
        if (!other) continue;
        const [mark] = other[1].match(MARK)?.filter((each) => each !== own) ?? [];
        const evidence = transfers.filter(({ sent }) => mark !== undefined && sent.includes(mark));
        const found = `${other.join(': ')}, which another client sent`;
        return fail('no field of another client', found, ...evidence, echo.transfer);
      }
      return pass();
    },
  },
  {
    id: 'connection/empty-lines',
    section: 'RFC 9112 2.2',
    rule: 'An empty line before the request line is ignored.',
    level: 'should',
    risk: 'interop',
    after: ['connection/close-announced'],
    async run(session) {
      const client = await session.openHttp1();
      for (const which of ['first', 'second']) {
        const tag = session.newTag();
        const transfer = await session.rawOn(client, `\r\n${rawRequest(session, tag)}`);
        if (!receivedOf(transfer, tag))
          return fail(`the ${which} request is served`, outcomeOf(transfer), transfer);
        if (!transfer.isReusable) break;
      }
      return pass();
    },
  },
  {
    id: 'connection/split-head',
    section: 'RFC 9112 2.2',
    rule: 'A request whose bytes arrive one at a time is served.',
    level: 'must',
    risk: 'interop',
    async run(session) {
      const tag = session.newTag();
      const client = await session.openHttp1();
      const bytes = Buffer.from(rawRequest(session, tag));
      for (let at = 0; at < bytes.length - 1; at++) {
        client.write(bytes.subarray(at, at + 1));
        // A busy target reads many of them at once, but not the first ones and the last one.
        const isApart = at < 2 || at === bytes.length - 2;
        await (isApart ? pause(BETWEEN_PIECES) : nextTurn());
      }
      const transfer = await session.rawOn(client, bytes.subarray(-1));
      return receivedOf(transfer, tag)
        ? pass()
        : fail('the request is served', outcomeOf(transfer), transfer);
    },
  },
]);
