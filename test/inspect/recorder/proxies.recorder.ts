import { describe, test } from 'vitest';
import type { Transport } from '../../_client.ts';
import { Directory, pathOf, startProxy, type Program } from '../../proxies/_proxy-process.ts';
import { freePorts } from '../../_system.ts';
import { envoy, haproxy, nginx } from './_proxy-settings.ts';
import { sharedMeasure } from './_measure.ts';
import { expectSame, REQUESTS, send } from './_run.ts';

/** Behind each proxy, with all protocols that it can speak to wirebin. */
const proxies: readonly (readonly [Program, typeof nginx, readonly Transport[]])[] = [
  ['nginx', nginx, ['http/1.1', 'https/1.1']],
  ['haproxy', haproxy, ['http/1.1', 'https/1.1', 'h2c', 'h2']],
  ['envoy', envoy, ['http/1.1', 'https/1.1', 'h2c', 'h2']],
];

for (const [program, configure, backends] of proxies) {
  const isMissing = pathOf(program) === undefined;
  if (isMissing)
    console.log(`NOT TESTED: what --inspect says behind ${program}, which is not installed`);
  describe.skipIf(isMissing)(`behind ${program}`, () => {
    const measure = sharedMeasure();

    test.each(backends)('%s', async (transport) => {
      const [http1 = 0, http2 = 0] = await freePorts(2);
      const directory = new Directory();
      const args = configure({ directory, backend: measure().port, http1, http2, transport });
      const proxy = await startProxy(program, args, [http1, http2]);
      let sent = 0;
      try {
        sent += await send(http1, 'http/1.1', REQUESTS / 2, 2);
        sent += await send(http2, 'h2c', REQUESTS / 2, 2);
      } finally {
        // Closes its connections to wirebin.
        await proxy.close();
        directory.remove();
      }
      await expectSame(measure(), `${program}, ${transport}`, sent);
    });
  });
}
