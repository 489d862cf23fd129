import { expect, test } from 'vitest';
import * as h2 from '../../../_frames.ts';
import { inClearAndOverTls } from './_observed.ts';

/** Of so many, about one lacked an interim response when the session did not wait for its own frames. */
const REQUESTS = 80;

inClearAndOverTls(({ ask }) => {
  test('interim responses come before the bytes of a fault', async () => {
    for (let at = 0; at < REQUESTS; at++) {
      const asking = ask(h2.get(1, '/respond?informational=103,102&fault=garbage,length=100'));
      await asking.ended;
      expect(asking.client.got(h2.HEADERS, 1)).toHaveLength(2);
    }
  });
}, '--inspect');
