import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { contradictions, listedDifferences } from '../dialects/httpbin/_differences.ts';
import { openClient } from '../_client.ts';
import { freePort } from '../_system.ts';
import { python } from './_python.ts';

test('httpbin itself does what docs/coming-from/httpbin.md says of it', async (context) => {
  const environment = await python('httpbin-service', ({ pip }) =>
    pip('install', 'httpbin==0.10.4'),
  );
  if (typeof environment === 'string') {
    context.skip(`not run: ${environment}`);
    return;
  }
  const port = await freePort();
  const words = ['-m', 'httpbin.core', '--port', String(port)];
  const server = spawn(environment.program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    // The last line before it listens. It logs to the same stream, which must stay open.
    for await (const piece of server.stderr.iterator({ destroyOnReturn: false })) {
      if (String(piece).includes('CTRL+C')) break;
    }
    server.stderr.resume();
    const client = openClient('http/1.1', port);
    for (const { path, headers, there } of listedDifferences()) {
      const response = await client.request(path, { headers });
      expect([path, contradictions(there, response)]).toEqual([path, []]);
    }
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});
