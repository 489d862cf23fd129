import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

// basic-auth.test.ts tests which credentials are accepted.
overOneProtocol(({ client }) => {
  test('the response without credentials has no challenge', async () => {
    const received = await client().request('/hidden-basic-auth/user/passwd');
    const nowhere = await client().request('/nowhere');
    expect(received.status).toBe(nowhere.status);
    expect(Object.keys(received.headers)).toEqual(Object.keys(nowhere.headers));
  });
});
