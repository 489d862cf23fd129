import { describe, test } from 'vitest';
import { transports } from '../../_client.ts';
import { sharedMeasure } from './_measure.ts';
import { expectSame, REQUESTS, send } from './_run.ts';

describe('directly', () => {
  const measure = sharedMeasure();

  test.each(transports)('%s', async (transport) => {
    const sent = await send(measure().port, transport, REQUESTS, 4);
    await expectSame(measure(), transport, sent);
  });
});
