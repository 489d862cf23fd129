import { expect, test } from 'vitest';
import { parsed } from '../_echo.ts';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('RFC 9562 5.4: a version 4 UUID, different each time', async () => {
    const uuids = new Set<unknown>();
    for (let n = 0; n < 5; n++) uuids.add(parsed(await client().request('/uuid'))['uuid']);
    expect(uuids.size).toBe(5);
    for (const uuid of uuids) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});
