import { FrameType } from '../../net/http2-frame.ts';
import { differs, fail, notApplicable, pass, type Check } from '../check.ts';
import { valuesOf } from '../message.ts';
import { receivedOf, TAG } from '../origin.ts';
import { received } from './forwarded.ts';

const UPGRADE = {
  section: 'RFC 9110 7.8',
  level: 'must',
  risk: 'security',
  fronts: ['http/1.1'],
} as const;

/** Upgrade (RFC 9110 7.8) and cleartext HTTP/2 behind a gateway. */
export const upgradeChecks: readonly Check[] = [
  {
    ...UPGRADE,
    id: 'upgrade/h2c',
    section: 'RFC 9113 3.1',
    rule: 'Upgrade to h2c is not forwarded: behind the gateway the client could send any request.',
    needs: ['gateway'],
    async run(session) {
      const tag = session.newTag();
      const transfer = await session.raw(
        `GET /anything/${tag} HTTP/1.1\r\nHost: ${session.target.authority}\r\n${TAG}: ${tag}\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n`,
      );
      if (transfer.response?.status === 101) return fail('no 101', '101', transfer);
      const fields = receivedOf(transfer, tag)?.fields;
      if (!fields) return pass(`${transfer.response?.status ?? transfer.ending}`);
      return valuesOf(fields, 'upgrade').includes('h2c')
        ? fail('no Upgrade: h2c', 'forwarded', transfer)
        : pass();
    },
  },
  received(
    {
      ...UPGRADE,
      id: 'upgrade/websocket',
      section: 'RFC 6455 4.1',
      rule: 'Whether a WebSocket handshake reaches the origin.',
      level: 'info',
      risk: 'interop',
      needs: ['gateway', 'http1-origin'],
    },
    {
      fields: [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ['Sec-WebSocket-Version', '13'],
      ],
    },
    ({ fields }, { transfer }) =>
      valuesOf(fields, 'upgrade').join().toLowerCase() === 'websocket'
        ? pass()
        : differs('without Upgrade', transfer),
  ),
  {
    ...UPGRADE,
    id: 'upgrade/prior-knowledge',
    section: 'RFC 9113 3.3',
    rule: 'An HTTP/2 preface in the middle of an HTTP/1.1 connection is not forwarded to the origin.',
    needs: ['gateway'],
    async run(session) {
      const client = await session.openHttp1();
      const first = await client.send({ target: '/healthz' }, { time: session.time });
      if (!first.isReusable) return notApplicable('the connection serves one request only');
      const transfer = session.record(
        await client.exchange(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 'PRI', {
          time: session.time,
        }),
      );
      const isHttp2 =
        transfer.received.startsWith('\0\0') &&
        transfer.received.charCodeAt(3) === FrameType.settings;
      return isHttp2
        ? fail('refused', 'SETTINGS of an HTTP/2 server', transfer)
        : pass(`${transfer.response?.status ?? transfer.ending}`);
    },
  },
];

const TLS = {
  section: 'RFC 8446 4.1.2',
  level: 'quality',
  risk: 'interop',
  needs: ['tls'],
} as const;

/** TLS between client and target, and between target and origin. */
export const tlsChecks: readonly Check[] = [
  {
    ...TLS,
    id: 'tls/version-1.3',
    section: 'RFC 8446',
    rule: 'The target offers TLS 1.3.',
    risk: 'security',
    fronts: ['http/1.1'],
    async run(session) {
      const { tls, stream } = await session.target.connect(session.time);
      const version = tls?.getProtocol() ?? 'none';
      stream.destroy();
      return version === 'TLSv1.3' ? pass(version) : differs(version);
    },
  },
  {
    ...TLS,
    id: 'tls/alpn-unknown',
    section: 'RFC 7301 3.2',
    rule: 'A client that offers no protocol which the target has gets the no_application_protocol alert.',
    level: 'should',
    fronts: ['http/1.1'],
    async run(session) {
      try {
        const { tls, stream } = await session.target.connect(session.time, { alpn: ['check/1'] });
        const selected = tls?.alpnProtocol;
        stream.destroy();
        return differs(`the handshake succeeds, with ${selected || 'no protocol'}`);
      } catch (error) {
        return pass(error instanceof Error ? error.message : String(error));
      }
    },
  },
  {
    ...TLS,
    id: 'tls/resumption',
    section: 'RFC 8446 2.2',
    rule: 'A second handshake of the same client is resumed.',
    risk: 'latency',
    fronts: ['http/1.1'],
    async run(session) {
      const first = await session.target.connect(session.time);
      const ticket = await new Promise<Buffer | undefined>((resolve) => {
        const timer = setTimeout(() => resolve(undefined), session.time / 4);
        first.tls?.once('session', (value) => {
          clearTimeout(timer);
          resolve(value);
        });
        first.stream.write(`GET /healthz HTTP/1.1\r\nHost: ${session.target.authority}\r\n\r\n`);
        first.stream.resume();
      });
      first.stream.destroy();
      if (!ticket) return differs('no session ticket');
      const second = await session.target.connect(session.time, { session: ticket });
      const isResumed = second.tls?.isSessionReused() ?? false;
      second.stream.destroy();
      return isResumed ? pass() : differs('a whole handshake');
    },
  },
  {
    ...TLS,
    id: 'tls/misdirected',
    section: 'RFC 9110 15.5.20',
    rule: 'What becomes of a Host that is not the name of the TLS handshake.',
    level: 'info',
    risk: 'security',
    async run(session) {
      const echo = await session.echo({ authority: 'other.example' });
      const { status } = echo.transfer.response ?? {};
      return status === 421
        ? pass('421')
        : differs(
            echo.received ? 'forwarded' : String(status ?? echo.transfer.ending),
            echo.transfer,
          );
    },
  },
  {
    ...TLS,
    id: 'tls/origin',
    section: 'RFC 8446',
    rule: 'Whether the connection to the origin is encrypted too, and how.',
    level: 'info',
    risk: 'security',
    needs: ['tls', 'gateway'],
    fronts: ['http/1.1'],
    async run(session) {
      const echo = await session.echo();
      const tls = echo.received?.tls;
      if (!tls) return differs('cleartext to the origin');
      const words = ['version', 'cipher_suite', 'alpn', 'sni'].map(
        (name) => `${name} ${String(tls[name])}`,
      );
      return pass(words.join(', '));
    },
  },
];

const LIMIT = { section: 'RFC 9110 5.4', level: 'info', risk: 'interop', isTimed: true } as const;

/** Finds the greatest size that is still forwarded, to an eighth. */
async function greatest(
  max: number,
  isForwarded: (size: number) => Promise<boolean>,
): Promise<number> {
  let low = 0;
  let high = 1024;
  while (high <= max && (await isForwarded(high))) {
    low = high;
    high *= 2;
  }
  if (high > max) return low;
  while (high - low > Math.max(16, low / 8)) {
    const middle = Math.floor((low + high) / 2);
    if (await isForwarded(middle)) low = middle;
    else high = middle;
  }
  return low;
}

const KiB = 1024;

/** Sizes that the target forwards, found by trying (RFC 9110 4.1 and 5.4). */
export const limitChecks: readonly Check[] = [
  {
    ...LIMIT,
    id: 'limit/target',
    section: 'RFC 9110 4.1',
    rule: 'How long a target may be. At least 8,000 bytes are recommended.',
    level: 'should',
    async run(session) {
      const size = await greatest(32 * KiB, async (length) => {
        const echo = await session.echo({ target: `/anything/${'x'.repeat(length)}` });
        return echo.received !== undefined;
      });
      return size >= 8000 - 1024
        ? pass(`about ${size} bytes`)
        : fail('8000 bytes', `about ${size} bytes`);
    },
  },
  {
    ...LIMIT,
    id: 'limit/field',
    rule: 'How long a field value may be.',
    async run(session) {
      const size = await greatest(32 * KiB, async (length) => {
        const echo = await session.echo({ fields: [['X-Check-Size', 'x'.repeat(length)]] });
        return echo.received !== undefined;
      });
      return pass(`about ${size} bytes`);
    },
  },
  {
    ...LIMIT,
    id: 'limit/fields',
    rule: 'How many fields a request may have.',
    async run(session) {
      for (const count of [90, 120, 190]) {
        const fields = Array.from({ length: count }, (_, at) => [`X-Check-${at}`, ''] as const);
        const echo = await session.echo({ fields });
        if (!echo.received) return differs(`fewer than ${count}`, echo.transfer);
      }
      return pass('190 and more');
    },
  },
];
