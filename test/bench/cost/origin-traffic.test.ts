import { expect, onTestFinished, test } from 'vitest';
import { parseTraffic, trafficBetween } from '../../../src/bench/cost/origin-traffic.ts';
import { createService } from '../../../src/index.ts';

test('all transports and statuses together', () => {
  const text = `# TYPE wirebin_http_requests counter
wirebin_http_requests_total{transport="http/1.1",status_class="2xx"} 10
wirebin_http_requests_total{transport="h2c",status_class="5xx"} 5
wirebin_connections_total{transport="http/1.1"} 3
wirebin_connections_total{transport="none"} 1
wirebin_open_connections{transport="http/1.1"} 2
`;
  expect(parseTraffic(text)).toEqual({ requests: 15, connections: 4, open: 2 });
  expect(parseTraffic('')).toBeUndefined();
});

test('what reads the figures is not part of them', async () => {
  const service = await createService({ metricsEnabled: true });
  onTestFinished(() => service.close());
  const closing = { headers: { connection: 'close' } };
  const read = async () => {
    const response = await fetch(`${service.httpOrigin}/metrics?format=prometheus`, closing);
    return parseTraffic(await response.text());
  };
  const before = await read();
  for (let request = 0; request < 3; request++) {
    await (await fetch(`${service.httpOrigin}/healthz`, closing)).text();
  }
  const after = await read();
  expect(before && after && trafficBetween(before, after)).toMatchObject({
    requests: 3,
    connections: 3,
  });
});
