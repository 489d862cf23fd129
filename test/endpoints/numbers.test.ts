import { test } from 'vitest';
import { overBothProtocols } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

/** Texts that are no whole decimal numbers. */
const TEXTS = ['1e3', '%2B1', '-1', '0x10', '%201', '1%20', '1.', '1_000', '%D9%A1', 'NaN', ''];

// They are sent instead of the asterisk.
overBothProtocols(({ client }) => {
  test.each([
    ['n', '/absolute-redirect/*'],
    ['n', '/bytes/*'],
    ['seed', '/bytes/1?seed=*'],
    ['n', '/cache/*'],
    ['numbytes', '/drip?numbytes=*'],
    ['code', '/drip?code=*'],
    ['count', '/jsonl?count=*'],
    ['n', '/links/*'],
    ['n', '/links/*/0'],
    ['offset', '/links/2/*'],
    ['n', '/range/*'],
    ['n', '/redirect/*'],
    ['status_code', '/redirect-to?url=/get&status_code=*'],
    ['n', '/relative-redirect/*'],
    ['count', '/sse?count=*'],
    ['code', '/status/*'],
    ['n', '/stream/*'],
    ['n', '/stream-bytes/*'],
    ['seed', '/stream-bytes/5?seed=*'],
    ['chunk_size', '/stream-bytes/5?chunk_size=*'],
    ['seed', '/unstable?seed=*'],
  ])('%s in %s is a whole number', async (name, target) => {
    for (const sent of TEXTS) {
      const detail = `${name}=${decodeURIComponent(sent)} is not a whole decimal number`;
      await expectRefused(client(), target.replace('*', sent), detail);
    }
  });

  test.each([
    ['n', '/delay/*'],
    ['duration', '/drip?duration=*'],
    ['delay', '/drip?delay=*'],
    ['duration', '/jsonl?duration=*'],
    ['delay', '/jsonl?delay=*'],
    ['duration', '/sse?duration=*'],
    ['delay', '/sse?delay=*'],
  ])('%s in %s is a duration', async (name, target) => {
    for (const sent of TEXTS) {
      const detail = 'is neither a number of seconds nor a duration such as 250ms';
      const value = decodeURIComponent(sent);
      await expectRefused(client(), target.replace('*', sent), `${name}=${value} ${detail}`);
    }
  });
});
