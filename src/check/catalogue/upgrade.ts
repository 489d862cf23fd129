import { frame, FrameSplitter, FrameType, PREFACE } from '../../wire/http2/frame.ts';
import { parseSettings } from '../../wire/http2/frame-payload.ts';
import { topic } from '../check.ts';
import { differs, fail, notApplicable, pass } from '../verdict.ts';
import type { Http1Client } from '../client/http1-client.ts';
import { settingsText } from '../client/http2-frames.ts';
import { outcomeOf, valuesOf, type Transfer } from '../message.ts';
import { isFromOrigin, receivedOf } from '../origin.ts';
import type { Session } from '../session.ts';
import { received } from './received.ts';
import { rawRequest } from './refusal.ts';
import { HANDSHAKE } from './websocket.ts';

const UPGRADE = {
  section: 'RFC 9110 7.8',
  level: 'must',
  risk: 'security',
  fronts: ['http/1.1'],
} as const;

/** What an HTTP/2 client sends first: some servers wait for it before they send SETTINGS (RFC 9113 3.4). */
const OPENING = Buffer.concat([PREFACE, frame(FrameType.settings, 0, 0)]);

/** The SETTINGS at the beginning of the bytes, as text; undefined if another frame, or none, comes first. */
function settingsIn(bytes: Buffer): string | undefined {
  const [first] = new FrameSplitter().push(bytes);
  if (first?.type !== FrameType.settings) return undefined;
  return settingsText(parseSettings(first.payload).map(({ id, value }) => [id, value]));
}

/** Begins HTTP/2 on a connection of HTTP/1.1. @returns the transfer, and the SETTINGS in it as text */
export async function sendOpening(
  session: Session,
  client: Http1Client,
): Promise<readonly [transfer: Transfer, settings: string | undefined]> {
  const hasSettings = ({ rest }: { readonly rest: Buffer }): boolean =>
    settingsIn(rest) !== undefined;
  const transfer = await session.rawOn(client, OPENING, 'PRI', hasSettings);
  return [transfer, settingsIn(Buffer.from(transfer.received, 'latin1'))];
}

/** The SETTINGS of the target as text; undefined if it does not offer HTTP/2. */
async function settingsOf(session: Session): Promise<string | undefined> {
  try {
    const { settings } = await session.openHttp2();
    return settingsText(settings ?? []);
  } catch {
    return undefined;
  }
}

/** Upgrade (RFC 9110 7.8) and cleartext HTTP/2 behind a gateway. */
export const upgradeChecks = topic(UPGRADE, [
  {
    id: 'upgrade/h2c',
    remedy: {
      advice: 'Remove Upgrade unless it asks for websocket.',
      directives: {
        haproxy: [
          [
            'frontend',
            'http-request del-header Upgrade if { req.hdr(Upgrade) -i h2c }',
            'http-request del-header HTTP2-Settings',
          ],
        ],
        caddy: [['site', '@h2c header Upgrade h2c', 'request_header @h2c -Upgrade']],
      },
    },
    // No RFC forbids it explicitly: a gateway may let its client and the origin change the protocol.
    level: 'quality',
    rule: 'Upgrade to h2c is not forwarded, because it would let the client bypass the gateway.',
    needs: ['gateway'],
    async run(session) {
      const tag = session.newTag();
      const transfer = await session.raw(
        rawRequest(session, tag, {
          lines: [
            'Connection: Upgrade, HTTP2-Settings',
            'Upgrade: h2c',
            'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
          ],
        }),
      );
      // wirebin does not upgrade to h2c, so the target itself did.
      if (transfer.response?.status === 101) return differs('101 of the target itself', transfer);
      const fields = receivedOf(transfer, tag)?.fields;
      if (!fields) return differs(outcomeOf(transfer), transfer);
      const left = ['upgrade', 'http2-settings'].filter(
        (name) => valuesOf(fields, name).length > 0,
      );
      if (left.length === 0) return pass();
      const found = `${left.join(' and ')} forwarded`;
      // Without Upgrade the protocol cannot change. `hop/connection-listed` judges the other fields.
      return left.includes('upgrade')
        ? fail('no Upgrade: h2c and no HTTP2-Settings', found, transfer)
        : differs(found, transfer);
    },
  },
  received({
    id: 'upgrade/websocket',
    remedy: {
      advice: 'Forward Upgrade and Connection of a WebSocket handshake, and no other Upgrade.',
      directives: {
        nginx: [
          [
            'http',
            "map $http_upgrade $websocket { ~*^websocket$ websocket; default ''; }",
            "map $websocket $websocket_connection { websocket upgrade; default ''; }",
          ],
          [
            'location',
            'proxy_set_header Upgrade $websocket;',
            'proxy_set_header Connection $websocket_connection;',
          ],
        ],
        varnish: [
          ['vcl_recv', 'if (req.http.Upgrade ~ "(?i)^websocket$") { return (pipe); }'],
          ['vcl_pipe', 'set bereq.http.Upgrade = req.http.Upgrade;'],
          ['vcl_pipe', 'set bereq.http.Connection = req.http.Connection;'],
        ],
        h2o: [['path', 'proxy.websocket: ON']],
      },
    },
    section: 'RFC 6455 4.1',
    rule: 'Whether a WebSocket handshake is forwarded to the origin.',
    level: 'info',
    risk: 'interop',
    needs: ['gateway', 'http1-origin'],
    request: {
      fields: HANDSHAKE,
    },
    judge: ({ fields }, { transfer }) =>
      valuesOf(fields, 'upgrade').join().toLowerCase() === 'websocket'
        ? pass()
        : differs('without Upgrade', transfer),
  }),
  {
    id: 'upgrade/prior-knowledge',
    section: 'RFC 9113 3.3',
    rule: 'An HTTP/2 preface on an open HTTP/1.1 connection is not forwarded to the origin.',
    needs: ['gateway'],
    async run(session) {
      const client = await session.openHttp1();
      const first = await session.sendOn(client, { target: '/healthz' });
      if (!first.isReusable) return notApplicable('the connection serves one request only');
      const [transfer, settings] = await sendOpening(session, client);
      if (isFromOrigin(transfer))
        return differs(
          `forwarded as a request; the origin answered ${outcomeOf(transfer)}`,
          transfer,
        );
      if (settings === undefined) return pass(outcomeOf(transfer));
      return settings === (await settingsOf(session))
        ? differs('the target itself speaks HTTP/2 from then on', transfer)
        : fail('refused', 'SETTINGS of an HTTP/2 server behind the target', transfer);
    },
  },
]);
