import { describe, expect, test } from 'vitest';
import { checksOf } from '../../../src/check/catalogue/all.ts';
import { startRelay, type RelayFault } from '../_relay.ts';
import { bench, faultsIn, isQuick, those } from '../_run.ts';

const tunnelChecks = checksOf('tcp').filter(({ id }) => id.startsWith('tunnel/'));

/** Text replaced in a piece. */
const replacing = (from: string | RegExp, to: string) => (piece: Buffer) =>
  Buffer.from(piece.toString('latin1').replace(from, to), 'latin1');

const wrongRelays: readonly (readonly [name: string, fault: RelayFault, id: string])[] = [
  ['adds a field', { request: replacing(' HTTP/1.1\r\n', ' HTTP/1.1\r\nVia: a\r\n') }, 'request'],
  ['lower-cases names', { request: replacing('X-Check-Z', 'x-check-z') }, 'request'],
  ['decodes targets', { request: replacing('%2F', '/') }, 'request'],
  ['changes a reason phrase', { response: replacing('as sent', 'as  sent') }, 'response'],
  [
    'answers malformed requests',
    {
      answers: (piece) =>
        piece.toString().startsWith('wirebin check')
          ? 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'
          : undefined,
    },
    'malformed',
  ],
  ['connects for each request', { reconnects: true }, 'connections'],
];

describe('the profile tcp', () => {
  const started = bench();

  test('has no rules for intermediaries, and no finding for a tunnel', async () => {
    const chosen = checksOf('tcp');
    expect(chosen.flatMap(({ needs = [] }) => needs)).not.toContain('gateway');
    const relay = await startRelay(started().originPort, 'http');
    const { results } = await started().run(
      relay,
      chosen.filter((check) => isQuick(check) && /^(?:tunnel|field|target)\//.test(check.id)),
    );
    expect(faultsIn(results)).toEqual([]);
    expect(those(results, 'pass').filter((text) => text.includes('tunnel/'))).toHaveLength(7);
  });

  test.each(wrongRelays)('a relay that %s is found', async (_name, fault, id) => {
    const relay = await startRelay(started().originPort, 'http', fault);
    const { results } = await started().run(
      relay,
      tunnelChecks.map((check) => ({ ...check, fronts: ['http/1.1'] })),
    );
    const failed = results.filter(({ outcome }) => outcome === 'fail').map(({ id: each }) => each);
    expect(failed, faultsIn(results).join('\n')).toEqual([`tunnel/${id}`]);
  });

  test('a gateway is found', async () => {
    const gateway = await started().gateway({ scheme: 'http' });
    const { results } = await started().run(gateway, tunnelChecks);
    const failed = those(results, 'fail').map((text) => text.replace(/:.*/s, ''));
    expect(failed).toEqual([
      'http/1.1 tunnel/request',
      'h2 tunnel/request',
      'http/1.1 tunnel/response',
      'http/1.1 tunnel/malformed',
      'h2 tunnel/protocol',
      'http/1.1 tunnel/connections',
    ]);
  });
});
