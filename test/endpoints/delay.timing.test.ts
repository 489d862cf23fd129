import { expect, test } from 'vitest';
import { METHODS } from '../_client.ts';
import { overBothProtocolsAtOnce } from '../_everywhere.ts';
import { expectRefused } from '../_refusal.ts';

overBothProtocolsAtOnce(({ client }) => {
  test.each(METHODS)('%s is delayed', async (method) => {
    const start = performance.now();
    const { status, headers, body } = await client().request('/delay/0.25', { method });
    // Timers may fire a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(248);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    expect(body.toString()).toBe(method === 'HEAD' ? '' : 'Response delayed by 0.25 seconds');
  });

  test.each([
    ['20ms:100', '0.02'],
    ['20ms:100%25', '0.02'],
    ['1m:0', '0'],
    ['10ms:50,0.01:50', '0.01'],
    ['0', '0'],
    ['0.0', '0'],
    ['0.010', '0.01'],
    ['0h', '0'],
    ['20ms', '0.02'],
    ['0.01s10000us', '0.02'],
  ])('%s: %s seconds', async (n, named) => {
    const { body } = await client().request(`/delay/${n}`);
    expect(body.toString()).toBe(`Response delayed by ${named} seconds`);
  });

  test.each([
    ['1s:60,2s:41', 'n=1s:60,2s:41 exceeds 100%: 101% in all'],
    ['1s:60,2s', 'n=2s is not value:percentage'],
    ['301:1', 'n=301 exceeds the maximum of 300'],
  ])('%s is rejected', async (distribution, message) => {
    await expectRefused(client(), `/delay/${distribution}`, message);
  });

  test('whole seconds', async () => {
    const start = performance.now();
    const { body } = await client().request('/delay/1');
    expect(performance.now() - start).toBeGreaterThan(998);
    expect(body.toString()).toBe('Response delayed by 1 seconds');
  });

  test.each(['301', '300.001', '99999999999', '5m1ms', '1h'])('%s is too long', async (n) => {
    await expectRefused(client(), `/delay/${n}`, `n=${n} exceeds the maximum of 300`);
  });

  const NO_DURATIONS = ['.5', '1.2.3', '1,5', '-0', '-1s', '1%20s', '1d', 'Infinity'];
  test.each(NO_DURATIONS)('n of %s is rejected', async (n) => {
    const detail = 'is neither a number of seconds nor a duration such as 250ms';
    await expectRefused(client(), `/delay/${n}`, `n=${decodeURIComponent(n)} ${detail}`);
  });
});
