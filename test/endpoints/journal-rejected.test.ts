import { describe, expect, test } from 'vitest';
import { sharedPlace } from '../_everywhere.ts';
import * as h2 from '../_frames.ts';
import { converse, exchange, GET, openSocket } from '../_raw.ts';
import { until } from '../_adapters.ts';
import { journalOf } from '../_walk.ts';

describe.each(['without', 'with'])('%s --inspect', (which) => {
  const isInspected = which === 'with' || process.env['WIREBIN_TEST_INSPECT'] !== undefined;
  const settings = isInspected ? ['--inspect'] : [];
  const { running, client: reader } = sharedPlace('http/1.1', ...settings);

  /** @param count entries to wait for */
  const journal = (key: string, count = 1) =>
    journalOf(running().port, key, `?wait=${count}&timeout=5`);

  test('a malformed message is found by its key', async () => {
    const response = await exchange(
      running().port,
      GET('/anything/x?token=a', 'X-Wirebin-Journal: rejected-nul\r\nX-Check: a\0b\r\n'),
    );
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    const { entries, process: id } = await journal('rejected-nul');
    expect(response).toContain(`\r\nX-Wirebin-Process: ${id}\r\n`);
    expect(entries).toMatchObject([
      {
        method: 'GET',
        request: 1,
        protocol: 'http/1.1',
        outcome: 'rejected',
        response: { status: 400 },
        cause: { by: 'wirebin', reason: 'invalid-message' },
      },
    ]);
    const [{ bytes = '' } = {}] = entries;
    expect(bytes).toContain('X-Check: a\0b');
    expect(bytes).not.toContain('token=a');
  });

  test('a response to a journalled request names the process and the key, others do not', async () => {
    const headers = { 'x-wirebin-journal': 'named' };
    const { headers: named } = await reader().request('/status/404', { headers });
    const { process: id } = await journal('named');
    expect(named['x-wirebin-process']).toBe(`${id} named`);
    const { headers: other } = await reader().request('/get');
    expect(other['x-wirebin-process']).toBeUndefined();
  });

  test('a message without a readable key is kept by connection and time, without what it was', async () => {
    const socket = await openSocket(running().port);
    await converse(socket, 'GET /secret\0 HTTP/1.1\r\nHost: a\r\n\r\n');
    const { entries } = await journal('rejected');
    const entry = entries.at(-1);
    expect(entry).toMatchObject({ method: '', target: '', outcome: 'rejected' });
    expect(entry?.conn).toMatch(/./);
    expect(entry?.bytes).toBeUndefined();
  });

  test('a stream that nghttp2 refuses is kept', async () => {
    const socket = await openSocket(running().port);
    const key = 'rejected-stream';
    // Without --inspect its fields are not known.
    const kept = isInspected ? key : 'rejected';
    const { count } = await journal(kept, 0);
    const request = h2.get(1, '/anything', ['x-wirebin-journal', key], ['X-Upper', 'a']);
    socket.write(Buffer.concat([h2.PREFACE, h2.frame(h2.SETTINGS, 0, 0), request]));
    socket.end();
    const { entries } = await journal(kept, count + 1);
    expect(entries.at(-1)).toMatchObject({
      stream: 1,
      protocol: 'h2c',
      response: null,
      outcome: 'rejected',
      cause: { by: 'wirebin', reason: 'protocol-error' },
    });
  });

  test('a stream that was refused while the connection stays is known to the next reader', async () => {
    const client = new h2.FrameClient(await openSocket(running().port));
    h2.acknowledgePings(client);
    const kept = isInspected ? 'rejected-open' : 'rejected';
    const { count } = await journal(kept, 0);
    client.send(h2.get(1, '/anything', ['x-wirebin-journal', kept], ['X-Upper', 'a']));
    await until(() => client.reset(1) !== undefined);
    expect(await journal(kept, 0)).toMatchObject({ count: count + 1 });
  });
});
