import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const WORKFLOWS = readdirSync(`${root}.github/workflows`);
const read = (name: string): string => readFileSync(`${root}.github/workflows/${name}`, 'utf8');

test.each(WORKFLOWS)(
  'the actions of %s are pinned by commit, with their version beside',
  (name) => {
    const used = [...read(name).matchAll(/\buses: (.*)$/gm)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(0);
    const pinned = /^[\w-]+\/[\w-]+(?:\/[\w-]+)?@[\da-f]{40} # v\d+\.\d+\.\d+$/;
    expect(used.filter((action) => !pinned.test(action))).toEqual([]);
  },
);

test('an action has the same version in all workflows', () => {
  const used = WORKFLOWS.flatMap((name) => read(name).match(/(?<=uses: )\S+/g) ?? []);
  const pins = new Set(used.map((action) => action.replace(/^([\w-]+\/[\w-]+)[^@]*/, '$1')));
  const actions = [...pins].map((pin) => pin.split('@')[0]);
  expect(actions).toEqual([...new Set(actions)]);
});

test.each(WORKFLOWS)('%s has no permission but those of its jobs', (name) => {
  expect(parse(read(name)).permissions).toEqual({});
});

test('ci.yml has each step of .ci/run in one of its parts', () => {
  const parts: readonly { readonly steps: string }[] = parse(read('ci.yml')).jobs.linux.strategy
    .matrix.include;
  const list = execFileSync(process.execPath, ['.ci/run.mjs', '--list'], {
    cwd: root,
    encoding: 'utf8',
  });
  const steps = list.match(/^\S+/gm) ?? [];
  expect(parts.flatMap((part) => part.steps.split(' ')).toSorted()).toEqual(steps.toSorted());
});

test('the stages of the image have one base, pinned by digest, and the label names its tag', () => {
  const dockerfile = readFileSync(`${root}Dockerfile`, 'utf8');
  const bases = dockerfile.match(/(?<=^FROM (?:--platform=\S+ )?)node:\S+/gm) ?? [];
  const [, tag] = /^(node:\d+-slim)@sha256:[\da-f]{64}$/.exec(bases[0] ?? '') ?? [];
  expect(bases).toEqual([bases[0], bases[0], bases[0]]);
  expect(dockerfile).toContain(`image.base.name="docker.io/library/${tag}"`);
  const { updates }: { readonly updates: readonly Record<string, string>[] } = parse(
    readFileSync(`${root}.github/dependabot.yml`, 'utf8'),
  );
  expect(updates.map((each) => each['package-ecosystem'])).toContain('docker');
});
