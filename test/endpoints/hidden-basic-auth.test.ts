import { expect, test } from 'vitest';
import { overBothProtocols } from '../_everywhere.ts';

// That it takes and refuses what /basic-auth does is tested there.
overBothProtocols(({ client }) => {
  test('nothing in the answer without credentials tells of any', async () => {
    const received = await client().request('/hidden-basic-auth/user/passwd');
    const nowhere = await client().request('/nowhere');
    expect(received.status).toBe(nowhere.status);
    expect(Object.keys(received.headers)).toEqual(Object.keys(nowhere.headers));
  });
});
