import { expect, onTestFinished, test } from 'vitest';
import { behindRecipe } from './_behind-recipe.ts';
import { expectThreeAttempts, sectionOf, startEdited } from './_section.ts';
import { http2Client } from '../proxies/_client.ts';

behindRecipe('haproxy', ({ port, running }) => {
  const requests = (transport: string): number =>
    running().service.connections?.entries().transports[transport]?.requests ?? 0;

  test.each(['http/1.1', 'h2c'])('health checks use %s', async (transport) => {
    const before = requests(transport);
    await expect.poll(() => requests(transport), { timeout: 10_000 }).toBeGreaterThan(before);
  });

  test('with the lines of the page, a failed request is repeated', async () => {
    const { lines, commands } = sectionOf('haproxy', 'Retries');
    const backend = '\nbackend http1\n';
    const changed = await startEdited('haproxy', [backend, backend + lines], port(8080));
    onTestFinished(() => changed.proxy.close());
    await expectThreeAttempts(commands, changed.port);
  });

  test('the PROXY header has the TLS of the client', async () => {
    const client = await http2Client(port(8445));
    const { conn } = await client.get('/get');
    client.close();
    expect(conn.proxy_protocol).toMatchObject({
      authority: 'a.example',
      ssl: { version: 'TLSv1.3', cipher: expect.stringMatching(/^TLS_/) },
    });
  });
});
