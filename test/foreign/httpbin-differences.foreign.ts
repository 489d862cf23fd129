import { expect, test } from 'vitest';
import { contradictions, listedDifferences } from '../dialects/httpbin/_differences.ts';
import { openClient } from '../_client.ts';
import { withHttpbin } from './_httpbin.ts';
import { python } from './_python.ts';

test('httpbin itself does what docs/coming-from/httpbin.md says of it', async (context) => {
  const environment = await python('httpbin-service', ({ pip }) =>
    pip('install', 'httpbin==0.10.4'),
  );
  if (typeof environment === 'string') {
    context.skip(`not run: ${environment}`);
    return;
  }
  await withHttpbin(environment.program, async (port) => {
    const client = openClient('http/1.1', port);
    for (const { path, headers, there } of listedDifferences()) {
      const response = await client.request(path, { headers });
      expect([path, contradictions(there, response)]).toEqual([path, []]);
    }
  });
});
