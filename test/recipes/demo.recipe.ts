import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { installedRecipes } from '../../scripts/demo/stage.ts';
import { reportSchema as benchSchema } from '../../src/bench/report/report.ts';
import { reportSchema as checkSchema } from '../../src/check/report/json-schema.ts';
import { guard } from '../../src/server/schema.ts';
import { Running } from '../_process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Most of it is waiting for health checks. */
const TIME = 5 * 60_000;

/** In a process group of its own, as a shell starts it. */
function startDemo(flags: readonly string[], variables: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, ...variables };
  const words = ['run', '--silent', 'demo', '--', ...flags];
  const running = new Running(spawn('npm', words, { cwd: ROOT, detached: true, env }));
  const group = -(running.child.pid ?? NaN);
  onTestFinished(() => {
    try {
      process.kill(group, 'SIGKILL');
    } catch {
      // None of the group is left.
    }
  });
  /** Those of the first step. */
  const addresses = (): string[] => {
    const [first = ''] = running.stdout.split('2. ');
    return first.match(/https?:\/\/localhost:\d+(?= |$)/gm) ?? [];
  };
  return {
    running,
    addresses,
    says: (text: string) =>
      expect.poll(() => running.stdout + running.stderr, { timeout: TIME }).toContain(text),
    /** As after Ctrl-C. */
    expectEnd: async () => {
      process.kill(group, 'SIGINT');
      await running.exit;
      for (const address of addresses()) {
        const refused = { cause: { code: 'ECONNREFUSED' } };
        await expect(fetch(address), address).rejects.toMatchObject(refused);
      }
    },
  };
}

describe('npm run demo', { timeout: TIME }, () => {
  test('shows every proxy, leaves two reports, and ends', async () => {
    const { running, addresses, says, expectEnd } = startDemo(['--no-open', '--quick']);
    await says('2. ');
    const [blue = ''] = addresses();
    // Until blue is restarted.
    const tapped = fetch(`${blue}/tap`).then((response) => response.text());
    await says('until Ctrl-C');

    const proxies = installedRecipes();
    expect(addresses()).toHaveLength(2 + 2 * proxies.length);
    for (const [, { title }] of proxies) {
      expect(running.stdout).toMatch(new RegExp(`^ +${title} .*\\d with 200, .*broken off$`, 'm'));
      expect(running.stdout).toMatch(new RegExp(`^ +${title} +(\\d+) attempts .* \\d+ have`, 'm'));
    }
    expect(running.stdout).toContain('green is back');
    const tap = await tapped;
    for (const seen of ['/anything', '/fault/', '/retry/', '"reason":"draining"']) {
      expect(tap).toContain(seen);
    }

    const [html = ''] = /\/\S+\/check\.html/.exec(running.stdout) ?? [];
    const directory = dirname(html);
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const read = (name: string): string => readFileSync(`${directory}/${name}`, 'utf8');
    expect(JSON.parse(read('check.json'))).toSatisfy(guard(checkSchema));
    const bench: unknown = JSON.parse(read('bench.json'));
    expect(bench).toSatisfy(guard(benchSchema));
    // Pages that show the requests would take part in the result.
    for (const address of addresses()) expect(bench).not.toMatchObject({ direct: address });
    for (const name of ['check.html', 'bench.html']) expect(read(name)).toContain('</html>');

    await expectEnd();
  });

  test('opens the page, and ends in the middle of a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wirebin-browser-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // On Linux, and on macOS.
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(`${folder}/${name}`, `#!/bin/sh\necho "$@" > ${folder}/opened\n`, {
        mode: 0o755,
      });
    }
    const shell = { DISPLAY: ':0', PATH: `${folder}:${process.env['PATH']}` };
    const { addresses, says, expectEnd } = startDemo(['--quick'], shell);
    await says('blue gets SIGTERM');
    expect(readFileSync(`${folder}/opened`, 'utf8')).toBe(`${addresses()[0]}/#tap\n`);
    await expectEnd();
  });
});
