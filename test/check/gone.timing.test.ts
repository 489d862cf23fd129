import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import type { CheckReport } from '../../src/check/report/json-schema.ts';
import { startOrigin } from '../../src/check/own-origin.ts';
import { streams } from '../_streams.ts';
import { startGateway } from './_gateway-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'wirebin-gone-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs checks through a correct gateway. @param disturb is called once, when some checks are finished */
async function disturbed(
  disturb: (
    origin: Awaited<ReturnType<typeof startOrigin>>,
    gateway: Awaited<ReturnType<typeof startGateway>>,
  ) => Promise<unknown>,
  { namesOrigin = true } = {},
) {
  const origin = await startOrigin(0);
  const gateway = await startGateway({ originPort: Number(origin.url.port) });
  onTestFinished(async () => void (await Promise.all([origin.close(), gateway.close()])));
  const json = join(directory, 'report.json');
  const tap = join(directory, 'report.tap');
  let out = '';
  let traced = 0;
  let disturbing: Promise<unknown> | undefined;
  const args = [
    `http://127.0.0.1:${gateway.url.port}`,
    ...(namesOrigin ? ['--origin', origin.url.href] : []),
    '--only=field/*,retry/*,framing/*,host/*',
    '--timeout=1',
    '--rate=1000',
    `--report=json=${json}`,
    `--report=tap=${tap}`,
    '--trace',
  ];
  const code = await runCheck(
    args,
    streams({
      out: (text) => {
        out += text;
        if (++traced === 10) disturbing = disturb(origin, gateway);
      },
    }),
  );
  await disturbing;
  const report = JSON.parse(readFileSync(json, 'utf8')) as CheckReport;
  const bad = report.checks.filter(({ outcome }) => /^(?:fail|error|flaky)$/.test(outcome));
  return { code, out, bad, tap: readFileSync(tap, 'utf8'), ...report };
}

test.each([true, false])(
  'an origin that goes away ends the run without a finding; its URL is known: %j',
  async (namesOrigin) => {
    const { code, out, bad, stopped, checks, tap } = await disturbed((origin) => origin.close(), {
      namesOrigin,
    });
    const who = namesOrigin ? 'the origin http://' : 'the target http://';
    expect(stopped).toMatch(
      / no longer (?:answers|leads to the origin): .*; \d+ of \d+ checks are finished$/,
    );
    expect(stopped?.startsWith(who), stopped).toBe(true);
    expect({ code, bad }).toEqual({ code: 3, bad: [] });
    expect(checks.length).toBeGreaterThan(0);
    expect(out).toContain(`\n${stopped ?? ''}\nIn flight: `);
    expect(out).toMatch(/\nIn flight: (?:http\/1\.1|h2) [^\n]+\nOutcomes on /);
    expect(out.trimEnd().split('\n').at(-1)).toMatch(/^STOPPED: no finding of level must/);
    expect(tap).toContain(`\nBail out! ${stopped ?? ''}\n`);
  },
);

test('a target that goes away ends the run without a finding', async () => {
  const { code, bad, stopped } = await disturbed((_, gateway) => gateway.close());
  expect(stopped).toMatch(
    /^the target http:\/\/127\.0\.0\.1:\d+ no longer answers: connect ECONNREFUSED \S+; \d+ of \d+ checks are finished$/,
  );
  expect({ code, bad }).toEqual({ code: 3, bad: [] });
});

test.each([true, false])(
  'an origin that is restarted is no finding, and no other instance; its URL is known: %j',
  async (namesOrigin) => {
    const { code, bad, stopped, checks, out } = await disturbed(
      async (origin) => {
        await origin.close();
        const again = await startOrigin(Number(origin.url.port));
        onTestFinished(() => again.close());
      },
      { namesOrigin },
    );
    expect({ code, bad, stopped }).toEqual({ code: 0, bad: [], stopped: undefined });
    expect(checks.filter(({ outcome }) => outcome === 'blocked')).toEqual([]);
    expect(out).toContain('\nBackend: wirebin ');
  },
);
