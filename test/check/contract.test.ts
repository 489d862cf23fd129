import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import type { CheckReport } from '../../src/check/report/json-schema.ts';
import { startOrigin } from '../../src/check/own-origin.ts';
import { streams } from '../_streams.ts';
import { startGateway } from './_gateway-server.ts';
import type { Deviation } from './_gateway-messages.ts';

const directory = mkdtempSync(join(tmpdir(), 'wirebin-contract-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** Runs checks through a gateway. @returns the exit code, what was written, and the report */
async function checked(deviation: Deviation, ...args: readonly string[]) {
  const origin = await startOrigin(0);
  const gateway = await startGateway({ originPort: Number(origin.url.port) }, deviation);
  onTestFinished(async () => void (await Promise.all([origin.close(), gateway.close()])));
  const json = join(directory, 'report.json');
  const url = `http://127.0.0.1:${gateway.url.port}`;
  let out = '';
  const code = await runCheck(
    [url, '--origin', origin.url.href, '--rate=1000', `--report=json=${json}`, ...args],
    streams({ out: (text) => void (out += text) }),
  );
  const report = JSON.parse(readFileSync(json, 'utf8')) as CheckReport;
  return { code, out, json, ...report };
}

/** A gateway that forwards WebSocket, and one that has lost the lines of its configuration for it. */
const FORWARDING: Deviation = { upgrade: {} };
const LOST: Deviation = {};
const ONLY = '--only=websocket/text,websocket/close,hop/keep-alive';

test('WebSocket that is lost makes the exit code 1, by the baseline and by --require', async () => {
  const baseline = join(directory, 'baseline.json');
  const update = ['--baseline', baseline, '--update-baseline'];
  expect(await checked(FORWARDING, ONLY, ...update)).toMatchObject({ code: 0, standing: 'pass' });
  const kept = await checked(FORWARDING, ONLY, '--baseline', baseline);
  expect(kept).toMatchObject({ code: 0, standing: 'pass', gaps: [] });
  const silent = await checked(LOST, ONLY);
  expect(silent).toMatchObject({ code: 0, gaps: [] });
  const lost = await checked(LOST, ONLY, '--baseline', baseline);
  expect(lost.code).toBe(1);
  expect(lost.standing).toBe('fail');
  const kinds = new Set(lost.gaps?.map(({ kind, id }) => `${kind} ${id.split('/')[0]}`));
  expect(kinds).toEqual(new Set(['lost websocket']));
  expect(lost.out).toMatch(
    /^FAIL: no finding of level must, \d+ checks? lost since the baseline\n/,
  );
  expect(await checked(LOST, ONLY, '--baseline', baseline, '--fail-on=must')).toMatchObject({
    code: 0,
  });
  const needed = await checked(LOST, ONLY, '--require', 'websocket/*');
  expect(needed).toMatchObject({ code: 1, standing: 'fail' });
  expect(needed.out).toMatch(/^required: websocket\/\S+ has no verdict: not-applicable, /m);
  expect(await checked(FORWARDING, ONLY, '--require', 'hop/keep-alive')).toMatchObject({
    gaps: [],
    code: 0,
  });
});

test('what passed and differs now makes the exit code 1 with --fail-on changed', async () => {
  const only = '--only=host/preserved';
  const known = ['--baseline', join(directory, 'changed.json')];
  const replaced: Deviation = { request: (request) => void (request.host = 'origin.internal') };
  expect(await checked({}, only, ...known, '--update-baseline')).toMatchObject({ code: 0 });
  expect(await checked(replaced, only, ...known)).toMatchObject({ code: 0, gaps: [] });
  const changed = await checked(replaced, only, ...known, '--fail-on=must,changed');
  expect(changed).toMatchObject({ code: 1, standing: 'fail' });
  expect(changed.out).toMatch(
    /^FAIL: no finding of level must, 1 check changed since the baseline\n/,
  );
  expect(changed.out).toContain(
    'changed: http/1.1 host/preserved passed when the baseline was written: differs, ',
  );
});

test('a POST that is sent twice only the first time is a finding', async () => {
  let isFirst = true;
  const retrying: Deviation = {
    retries: ({ method }, failure) => {
      if (method !== 'POST' || failure !== 503 || !isFirst) return false;
      isFirst = false;
      return true;
    },
  };
  const { code, checks } = await checked(retrying, '--only=retry/post-503');
  expect(code).toBe(1);
  const found = checks.find(({ outcome }) => outcome === 'fail');
  expect(found).toMatchObject({
    proven: true,
    reason: expect.stringContaining('seen in 1 of 2 runs'),
  });
});
