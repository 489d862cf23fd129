import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { checks } from '../../../src/check/catalogue/all.ts';
import { ContentType, RECORD_HEADER_LENGTH } from '../../../src/wire/tls/record.ts';
import { listening, type Proxy } from '../_gateway-server.ts';
import { bench } from '../_run.ts';

const started = bench();

/** Milliseconds for which the checks wait for an answer. */
const TIME = 1000;
/** Milliseconds of a handshake that is slow for these checks. */
const SLOW = 400;

const chosen = checks.filter(({ id }) => id.startsWith('tls/renegotiation'));

/** Whether there is a handshake message among the records of a piece, none of which is cut. */
function hasHandshake(piece: Buffer): boolean {
  for (let at = 0; at < piece.length; at += RECORD_HEADER_LENGTH + piece.readUInt16BE(at + 3))
    if (piece[at] === ContentType.handshake) return true;
  return false;
}

/** Flights of a client in a full handshake of TLS 1.2: those that follow are another handshake. */
const FLIGHTS = 2;

/**
 * Forwards all but renegotiations.
 *
 * @param delay in milliseconds of handshakes after the first renegotiation
 * @param slow number of such handshakes
 */
function swallowing(port: number, delay: number, slow = Infinity): Promise<Proxy> {
  let isAsked = false;
  let late = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const origin = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    let flights = 0;
    client.on('data', (piece: Buffer) => {
      if (hasHandshake(piece)) flights++;
      if (flights > FLIGHTS) isAsked = true;
      else if (isAsked && flights === 1 && late++ < slow) {
        setTimeout(() => origin.write(piece), delay);
      } else origin.write(piece);
    });
    origin.pipe(client);
    for (const [from, to] of [
      [client, origin],
      [origin, client],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  return listening(server, 'https');
}

test('without an answer, a renegotiation counts as refused only where a handshake is quick', async () => {
  const { facts } = await started().reference({ scheme: 'https' }, []);
  const gateway = await started().gateway({ scheme: 'https' });
  const verdicts = async (proxy: Proxy) => {
    const { results } = await started().run(proxy, chosen, facts, TIME);
    return results.map(({ id, front, outcome, found, reason }) => [
      id,
      front,
      outcome,
      found ?? reason?.replace(/\d+ ms/, '# ms'),
    ]);
  };
  try {
    const port = Number(gateway.url.port);
    const slow = ['not-applicable', 'no answer, and a handshake takes # ms'];
    expect([
      await verdicts(await swallowing(port, 0)),
      await verdicts(await swallowing(port, SLOW)),
      await verdicts(await swallowing(port, SLOW, 1)),
      await verdicts(gateway),
    ]).toEqual(
      [['pass', 'ignored'], slow, ['pass', 'ignored'], ['pass', 'refused']].map((expected) => [
        ['tls/renegotiation', 'http/1.1', ...expected],
        ['tls/renegotiation-h2', 'h2', ...expected],
      ]),
    );
  } finally {
    await gateway.close();
  }
});
