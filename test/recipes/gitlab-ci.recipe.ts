import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installed } from '../_process.ts';
import { freePorts } from '../_system.ts';
import { missingPrograms, type ScriptRun } from './_checkout.ts';
import { Pipeline } from './_pipeline.ts';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`the job is not tested without ${missing.join(', ')}`, () => undefined);
}

/** nginx sends no Via with requests, and leaves that of responses. */
const ONLY = { WIREBIN_CHECK_ONLY: 'hop/via-*', WIREBIN_CHECK_KNOWN: 'none' };

/** A baseline without findings. */
const NONE_KNOWN = JSON.stringify({ findings: [] });

describe.skipIf(missing.length > 0)('the job of GitLab', () => {
  const installation = installed();
  let pipeline: Pipeline;
  let run: () => Promise<ScriptRun>;

  beforeEach(async () => {
    const [gateway = 0, origin = 0] = await freePorts(2);
    pipeline = new Pipeline(
      new Map([
        [8443, gateway],
        [8080, origin],
      ]),
    );
    const { serviceVariables: env } = pipeline;
    const wirebin = installation().run(['--port', String(origin)], { env });
    await wirebin.listens();
    writeFileSync(pipeline.checkout.file('gateway/baseline.json'), NONE_KNOWN);
    run = () => pipeline.run(installation().main, ONLY);
  });
  afterEach(() => pipeline.checkout.close());

  test('a finding fails the job, and is in the report for the merge request', async () => {
    const { code, output } = await run();
    expect([code, output]).toEqual([1, expect.stringContaining('hop/via-request')]);
    expect(output).not.toContain('the client got');
    const { paths, reports } = pipeline.job.artifacts;
    const read = (name: string): string => readFileSync(pipeline.checkout.file(name), 'utf8');
    expect(read(reports.junit)).toMatch(/<testcase[^>]*hop\/via-request[^>]*>\s*<failure/);
    expect(paths.map((path) => read(path).includes('hop/via-request'))).toEqual([true, false]);
  });

  test('known findings do not count, and the tests of the client are run', async () => {
    const findings = ['http/1.1', 'h2'].map((front) => ({
      id: 'hop/via-request',
      front,
      reason: 'nginx',
    }));
    const baseline = pipeline.checkout.file('gateway/baseline.json');
    writeFileSync(baseline, JSON.stringify({ findings }));
    const { code, output } = await run();
    expect([code, output]).toEqual([0, expect.stringContaining('the client got 200')]);
  });
});
