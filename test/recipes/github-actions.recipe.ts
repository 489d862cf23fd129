import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installed } from '../_process.ts';
import { freePorts } from '../_system.ts';
import { missingPrograms } from './_checkout.ts';
import { Workflow, type StepRun } from './_workflow.ts';

const missing = missingPrograms();
if (missing.length > 0) {
  test.skip(`the workflow is not tested without ${missing.join(', ')}`, () => undefined);
}

const PASS = 'proxy_pass http://wirebin;';

/** What goes wrong, the check that finds it, and the edit of nginx.conf. */
const BROKEN: readonly (readonly [what: string, id: string, line: RegExp | string, by: string])[] =
  [
    ['Set-Cookie is hidden', 'cookie/set-cookie', PASS, `${PASS} proxy_hide_header Set-Cookie;`],
    [
      'another field is hidden',
      'response/field-retry-after',
      PASS,
      `${PASS} proxy_hide_header Retry-After;`,
    ],
    ['Host is lost', 'host/preserved', /proxy_set_header Host .*/, ''],
    ['the address is lost', 'forwarding/client-address', /proxy_set_header X-Forwarded-For.*/, ''],
    ['WebSocket is lost', 'websocket/text', /proxy_set_header Upgrade .*/, ''],
    ['HTTP/2 is lost', 'hop/via-request', / http2;/, ';'],
    ['connections are not used again', 'backend/sequential', /proxy_set_header Connection.*/, ''],
    ['the path is decoded', 'target/encoded-slash', PASS, 'proxy_pass http://wirebin/;'],
    ['responses are compressed', 'coding/no-transform', PASS, `${PASS} gzip on; gzip_types *;`],
    [
      'errors are replaced',
      'response/status-503',
      PASS,
      `${PASS} proxy_intercept_errors on; error_page 503 /get;`,
    ],
    ['cancels are ignored', 'cancel/close', PASS, `${PASS} proxy_ignore_client_abort on;`],
    ['uploads are small', 'content/upload-16k', PASS, `${PASS} client_max_body_size 10k;`],
    [
      'POST is sent again',
      'retry/post-503',
      /(server 127\.0\.0\.1:\d+ max_fails=0;)([^]*)proxy_pass/,
      '$1 $1 $2 proxy_next_upstream error timeout http_503 non_idempotent; proxy_pass',
    ],
  ];

/** One of them fails on nginx as it is, which sends no Via. */
const ONLY = { WIREBIN_CHECK_ONLY: BROKEN.map(([, id]) => id).join(',') };

function codesOf(runs: readonly StepRun[]): Record<string, unknown> {
  return Object.fromEntries(runs.map(({ name, code }) => [name, code]));
}

const outputOf = (runs: readonly StepRun[]): string => runs.map(({ output }) => output).join('');

const FAILED = {
  'Start the gateway': 0,
  'Check the gateway': 1,
  'Run the tests': undefined,
  'Show what the gateway says': 0,
};

describe.skipIf(missing.length > 0)('the steps of the workflow', () => {
  const installation = installed();
  let workflow: Workflow;
  /** Written by the command that the page names. */
  let baseline: string;
  const run = (variables: Readonly<Record<string, string>> = ONLY): Promise<readonly StepRun[]> =>
    workflow.run(installation().main, variables);

  async function start(): Promise<void> {
    const [gateway = 0, origin = 0] = await freePorts(2);
    workflow = new Workflow(
      new Map([
        [8443, gateway],
        [8080, origin],
      ]),
    );
    const { serviceVariables: env } = workflow;
    const wirebin = installation().run(['--port', String(origin)], { env });
    await wirebin.listens();
  }

  beforeAll(async () => {
    await start();
    const runs = await run({ ...ONLY, WIREBIN_CHECK_UPDATE_BASELINE: 'true' });
    expect(codesOf(runs), outputOf(runs)).toMatchObject({ 'Check the gateway': 0 });
    baseline = readFileSync(workflow.checkout.file('gateway/baseline.json'), 'utf8');
    workflow.checkout.close();
  }, 60_000);
  beforeEach(async () => {
    await start();
    writeFileSync(workflow.checkout.file('gateway/baseline.json'), baseline);
  });
  afterEach(() => workflow.checkout.close());

  test('nginx as it is passes, and the tests of the client are run', async () => {
    const runs = await run();
    expect(codesOf(runs), outputOf(runs)).toEqual({
      'Start the gateway': 0,
      'Check the gateway': 0,
      'Run the tests': 0,
      'Show what the gateway says': undefined,
    });
    expect(outputOf(runs)).not.toContain('::error');
    expect(outputOf(runs)).toContain('the client got 200');
    // It has the finding of nginx itself, which the record of nginx has too.
    expect(workflow.summary).toContain('hop/via-request');
    expect(JSON.parse(baseline)).toMatchObject({ findings: [] });
  });

  test.each(BROKEN)('%s: the job fails by %s', async (_, id, line, by) => {
    const file = workflow.checkout.file('gateway/nginx.conf');
    const configuration = readFileSync(file, 'utf8');
    const broken = configuration.replace(line, by);
    expect(broken).not.toBe(configuration);
    writeFileSync(file, broken);
    const runs = await run();
    expect(codesOf(runs), outputOf(runs)).toEqual(FAILED);
    const annotations = runs.flatMap(({ output }) => output.match(/^::error .*$/gm) ?? []);
    expect(
      annotations.some((annotation) => annotation.includes(id)),
      outputOf(runs),
    ).toBe(true);
    expect(workflow.summary).toContain(id);
    expect(readFileSync(workflow.checkout.file('check.html'), 'utf8')).toContain(id);
    expect(readFileSync(workflow.checkout.file('check.xml'), 'utf8')).toContain('<failure');
  });

  test.each([
    ['missing', undefined],
    ['no JSON', '{'],
    ['no baseline', '{}'],
  ])('a baseline that is %s is an error', async (_, content) => {
    const file = workflow.checkout.file('gateway/baseline.json');
    if (content === undefined) rmSync(file);
    else writeFileSync(file, content);
    const runs = await run();
    expect(codesOf(runs)).toEqual({ ...FAILED, 'Check the gateway': 2 });
    expect(outputOf(runs)).toContain('gateway/baseline.json');
  });
});
