import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installed } from '../_process.ts';
import { freePorts } from '../_system.ts';
import { missingPrograms } from './_checkout.ts';
import { Workflow, type StepRun } from './_workflow.ts';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`the workflow is not tested without ${missing.join(', ')}`, () => undefined);
}

/** nginx sends no Via with requests, and leaves that of responses. */
const ONLY = { WIREBIN_CHECK_ONLY: 'hop/via-*' };

/** A baseline without findings. */
const NONE_KNOWN = JSON.stringify({ findings: [] });

function codesOf(runs: readonly StepRun[]): Record<string, unknown> {
  return Object.fromEntries(runs.map(({ name, code }) => [name, code]));
}

describe.skipIf(missing.length > 0)('the steps of the workflow', () => {
  const installation = installed();
  let workflow: Workflow;
  let run: () => Promise<readonly StepRun[]>;

  beforeEach(async () => {
    const [gateway = 0, origin = 0] = await freePorts(2);
    workflow = new Workflow(
      new Map([
        [8443, gateway],
        [8080, origin],
      ]),
    );
    const { main } = installation();
    const { serviceVariables: env } = workflow;
    const wirebin = installation().run(['--port', String(origin)], { env });
    await wirebin.listens();
    writeFileSync(workflow.checkout.file('gateway/baseline.json'), NONE_KNOWN);
    run = () => workflow.run(main, ONLY);
  });
  afterEach(() => workflow.checkout.close());

  test('a finding is an annotation, and fails the job', async () => {
    const runs = await run();
    expect(codesOf(runs)).toEqual({
      'Start the gateway': 0,
      'Check the gateway': 1,
      'Run the tests': undefined,
      'Show what the gateway says': 0,
    });
    const annotations = runs.flatMap(({ output }) => output.match(/^::error .*$/gm) ?? []);
    expect(annotations).toEqual([
      expect.stringMatching(
        /^::error title=hop\/via-request \(http\/1\.1\)::.* \(RFC 9110 7\.6\.3\) /,
      ),
      expect.stringMatching(/^::error title=hop\/via-request \(h2\)::/),
    ]);
    expect(workflow.summary).toContain('hop/via-request');
    expect(readFileSync(workflow.checkout.file('check.html'), 'utf8')).toContain('hop/via-request');
    expect(readFileSync(workflow.checkout.file('check.xml'), 'utf8')).toContain('<testsuite');
  });

  test('known findings do not count, and the tests of the client are run', async () => {
    const findings = ['http/1.1', 'h2'].map((front) => ({
      id: 'hop/via-request',
      front,
      reason: 'nginx',
    }));
    writeFileSync(workflow.checkout.file('gateway/baseline.json'), JSON.stringify({ findings }));
    const runs = await run();
    expect(codesOf(runs)).toEqual({
      'Start the gateway': 0,
      'Check the gateway': 0,
      'Run the tests': 0,
      'Show what the gateway says': undefined,
    });
    expect(runs.map(({ output }) => output).join('')).not.toContain('::error');
    expect(runs.find(({ name }) => name === 'Run the tests')?.output).toContain(
      'the client got 200',
    );
  });
});
