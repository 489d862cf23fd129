import { Agent, createServer, request as send } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { probe } from '../../src/check/probe.ts';
import { Target } from '../../src/check/target.ts';
import { startService } from '../_service.ts';
import { listening, startGateway, type Proxy } from './_gateway-server.ts';
import { startPoolingLeg } from './_pooling-leg.ts';
import { startRelay } from './_relay.ts';

/**
 * Opens a connection for the first request of each client, and takes the one that is idle for longest for its next, as
 * HAProxy does by `http-reuse safe`.
 */
function startSafelyReusing(port: number): Promise<Proxy> {
  const idle: Agent[] = [];
  const known = new WeakSet<object>();
  const server = createServer(({ socket, method, url: path, rawHeaders: headers }, to) => {
    const next = known.has(socket) ? idle.shift() : undefined;
    known.add(socket);
    const agent = next ?? new Agent({ keepAlive: true });
    const forwarded = send({ agent, port, method, path, headers }, (response) => {
      to.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(to);
      response.on('end', () => idle.push(agent));
    });
    forwarded.on('error', () => to.destroy()).end();
  });
  return listening(server, 'http');
}

test.each([
  ['one connection for each request', (originPort: number) => startGateway({ originPort })],
  ['a connection for each client', (port: number) => startRelay(port, 'http')],
  ['pooled', (port: number) => startPoolingLeg(port)],
  ['pooled', startSafelyReusing],
])('%s', async (pooling, start) => {
  const { port } = await startService();
  const proxy = await start(port);
  onTestFinished(() => proxy.close());
  const facts = await probe(new Target({ url: proxy.url, origins: [], insecure: false }), 10_000);
  expect(facts.pooling).toBe(pooling);
});

test('what stands in front says what it did, in words', async () => {
  const { port } = await startService();
  const gateway = await startGateway(
    { originPort: port },
    {
      response: ({ fields }) => {
        fields.push(
          ['Cache-Status', 'edge; fwd=bypass'],
          ['Proxy-Status', 'cdn; next-protocol=h2'],
        );
      },
    },
  );
  onTestFinished(() => gateway.close());
  const { meaning } = await probe(new Target({ url: gateway.url, insecure: false }), 10_000);
  expect(meaning).toEqual([
    'Cache-Status: The cache "edge": forwarded, because the cache was configured not to handle it.',
    'Proxy-Status: The intermediary "cdn": next hop over "h2".',
  ]);
});

test('a target that closes before it is known is not testable, as proxy.py 2.4 when its worker ends', async () => {
  const { port } = await startService();
  const relay = await startGateway({ originPort: port });
  onTestFinished(() => relay.close());
  let requests = 0;
  const server = createServer((from, to) => {
    if (requests++ > 3) server.closeAllConnections();
    else if (requests === 4) server.close();
    const { method, url: path, rawHeaders: headers } = from;
    const forwarded = send({ port: relay.url.port, method, path, headers }, (response) => {
      to.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(to);
    });
    forwarded.on('error', () => to.destroy()).end();
  });
  const proxy = await listening(server, 'http');
  const target = new Target({ url: proxy.url, origins: [], insecure: false });
  await expect(probe(target, 2000)).rejects.toThrow(/^the target answers no longer: /);
});
