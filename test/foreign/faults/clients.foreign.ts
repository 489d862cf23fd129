import { describe, expect, test } from 'vitest';
import { groups } from './_cases.ts';
import { clients } from './_clients.ts';
import { writeIndex } from './_index.ts';
import { measured } from './_measure.ts';
import { ClientPage } from './_page.ts';

const named = clients.map((client) => [client.name, client] as const);

describe('faults as clients report them', () => {
  test.each(named)('%s: what its page says', async (_, client) => {
    const [ready, formerReady] = await Promise.all([client.prepare(), client.former()]);
    if (typeof ready === 'string') {
      console.log(`not run: ${client.name}: ${ready}`);
      return;
    }
    const { versions } = client;
    const current = await measured(ready, versions);
    const former =
      typeof formerReady === 'string' ? undefined : await measured(formerReady, versions);
    const page = new ClientPage(client);
    if (process.env['WIREBIN_WRITE_DOCS'] !== '1') {
      expect(page.deviations(current, former)).toEqual([]);
      return;
    }
    page.write(current, former, groups);
    writeIndex();
  });
});
