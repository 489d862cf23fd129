import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { createService } from '../../src/index.ts';
import { read } from './_deploy.ts';
import { alerts, panels, rules } from './_monitoring.ts';
import { lacks, missing } from './_tools.ts';

describe.skipIf(lacks('alerts, the dashboard and /metrics', missing.promtool))('promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wirebin-promtool-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const promtool = (args: readonly string[], input = ''): { ok: boolean; output: string } => {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: folder,
      encoding: 'utf8',
      input,
    });
    return { ok: status === 0, output: `${stdout}${stderr}` };
  };

  const unitTests = read('test/kubernetes/alerts.yaml');

  beforeAll(() => {
    writeFileSync(join(folder, 'rules.yaml'), stringify(rules));
    writeFileSync(join(folder, 'alerts.yaml'), unitTests);
  });

  test('can read the rules', () => {
    expect(promtool(['check', 'rules', '--lint-fatal', 'rules.yaml'])).toMatchObject({ ok: true });
  });

  test('sees each alert fire when it should', () => {
    for (const { alert } of alerts) expect(unitTests).toContain(`  - name: ${alert}\n`);
    expect(promtool(['test', 'rules', 'alerts.yaml'])).toMatchObject({ ok: true });
  });

  test('sees it if an alert does not fire', () => {
    writeFileSync(
      join(folder, 'broken.yaml'),
      unitTests.replace('values: 0+59x30', 'values: 0x30'),
    );
    const { ok, output } = promtool(['test', 'rules', 'broken.yaml']);
    expect(ok).toBe(false);
    expect(output).toContain('alertname: WirebinSaturated');
  });

  test('can read every expression of the dashboard', () => {
    const recorded = panels.map(({ expr }, nth) => ({
      record: `panel:${nth}`,
      expr: expr.replaceAll('$__rate_interval', '2m'),
    }));
    const groups = [{ name: 'panels', rules: recorded }];
    writeFileSync(join(folder, 'panels.yaml'), stringify({ groups }));
    const checked = promtool(['check', 'rules', 'panels.yaml']);
    expect(checked).toMatchObject({ ok: true });
    expect(checked.output).toContain(`${panels.length} rules found`);
  });

  test('finds nothing in /metrics', async () => {
    const service = await createService({ metricsEnabled: true });
    for (const path of ['/status/404', '/metrics']) await fetch(`${service.httpOrigin}${path}`);
    const text = await (await fetch(`${service.httpOrigin}/metrics`)).text();
    await service.close();
    expect(promtool(['check', 'metrics'], text)).toEqual({ ok: true, output: '' });
  });
});
