import { basename, join } from 'node:path';
import { format } from 'oxfmt';
import { describe, expect, test } from 'vitest';
import { read, type Manifest } from './_deploy.ts';
import { chart, helm, kustomized, kustomizedBy, lacks, missing, templated } from './_tools.ts';
import { everything, variants, valuesOf, type Variant } from './_variants.ts';

const isHook = ({ metadata }: Manifest): boolean =>
  metadata.annotations?.['helm.sh/hook'] === 'test';
const keyOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** Sorts lists whose elements have names: to Kubernetes their order means nothing. */
function normalized(value: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = value.map(normalized);
    return elements.every((element) => nameOf(element) !== undefined)
      ? elements.toSorted((a, b) => ((nameOf(a) ?? '') < (nameOf(b) ?? '') ? -1 : 1))
      : elements;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, normalized(member)]),
  );
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'name' in value
    ? String(value.name)
    : undefined;
}

/** The objects of deploy/kubernetes: each is what a template of the chart makes of these values. */
const RENDERED: readonly [path: string, variant: Variant][] = [
  ['base/deployment.yaml', []],
  ['base/service.yaml', []],
  ['base/poddisruptionbudget.yaml', []],
  ['components/gateway/gateway.yaml', ['gateway']],
  ['components/routes/routes.yaml', ['routes']],
  ['components/backend-tls/backendtlspolicy.yaml', ['backend-tls']],
  ['components/monitoring/podmonitor.yaml', ['monitoring']],
  ['components/hpa/horizontalpodautoscaler.yaml', ['hpa']],
  ['components/network-policy/networkpolicy.yaml', ['network-policy']],
];

describe.skipIf(lacks('the objects of Kustomize', missing.helm))('the objects of Kustomize', () => {
  // Which is this test, told to update.
  test.each(RENDERED)('%s is what `npm run kustomize` writes', async (path, variant) => {
    const template = `templates/${basename(path)}`;
    const text = helm('template', valuesOf(variant), '--show-only', template);
    const marked = text.replace(
      /^---\n# Source: .*\n/,
      '# From the chart: `npm run kustomize` writes it.\n',
    );
    // As `npm run format` would write it: the options are those of .editorconfig.
    const { code } = await format(path, marked, { printWidth: 100, singleQuote: true });
    const outdated = `${path} is outdated: run \`npm run kustomize\``;
    await expect(code, outdated).toMatchFileSnapshot(join(chart, '../../kubernetes', path));
  });
});

describe.skipIf(lacks('the chart beside Kustomize', missing.helm, missing.kustomize))(
  'the chart has the objects of Kustomize',
  () => {
    test.each(variants.map((variant) => [variant.join(', ') || 'base', variant] as const))(
      '%s',
      (_, variant) => {
        const ofChart = templated(variant).filter((manifest) => !isHook(manifest));
        const ofKustomize = new Map(
          kustomized(variant).map((manifest) => [keyOf(manifest), manifest]),
        );
        expect(ofChart.map(keyOf).toSorted()).toEqual([...ofKustomize.keys()].toSorted());
        for (const manifest of ofChart) {
          expect(normalized(manifest)).toEqual(normalized(ofKustomize.get(keyOf(manifest))));
        }
      },
    );
  },
);

test.skipIf(lacks('the example of docs/kubernetes.md', missing.kustomize))(
  'the example of docs/kubernetes.md makes the objects that it names',
  () => {
    const [, block = ''] =
      /^```yaml\n(# kustomization\.yaml\n[^]*?)^```$/m.exec(read('docs/kubernetes.md')) ?? [];
    const objects = kustomizedBy((folder) => block.replaceAll('wirebin/deploy/kubernetes', folder));
    expect(objects.map(({ kind }) => kind)).toContain('PodMonitor');
    const text = JSON.stringify(objects);
    expect(text).toMatch(/"gatewayClassName":"NAME"/);
    expect(text).toMatch(/"image":"registry\.example\/wirebin:/);
    expect(text).toMatch(/"hostnames":\["wirebin\.company\.example"\]/);
  },
);

describe.skipIf(lacks('the chart', missing.helm))('the chart', () => {
  test('helm lint finds nothing', () => {
    expect(helm('lint', {}, '--strict')).toContain('0 chart(s) failed');
    expect(helm('lint', valuesOf(everything), '--strict')).toContain('0 chart(s) failed');
  });

  test('values that the schema does not have are refused', () => {
    expect(() => helm('template', { replica: 2 })).toThrow('replica');
  });

  test('values reach the objects', () => {
    const values = {
      ...valuesOf(everything),
      image: { repository: 'registry.example/wirebin', tag: 'test', pullSecrets: ['a', 'b'] },
      env: { WIREBIN_TAP: 'true', WIREBIN_NAME: 'blue', WIREBIN_METRICS_ENABLED: 'false' },
      drain: { delay: 20, timeout: 60 },
      routes: { enabled: true, parent: 'shared', hostname: 'a.example', grpcHostname: 'b.example' },
      check: { url: 'https://a.example', args: ['--resolve', '10.0.0.1'] },
    };
    const text = helm('template', values);
    expect(text.match(/image: .*/g)).toEqual([
      'image: registry.example/wirebin:test',
      'image: registry.example/wirebin:test',
    ]);
    expect(text.match(/imagePullSecrets:\n +- name: a\n +- name: b\n/g)).toHaveLength(2);
    for (const [name, value] of Object.entries(values.env)) {
      expect(text.match(new RegExp(`- name: ${name}\n.*`, 'g'))).toEqual([
        `- name: ${name}\n              value: "${value}"`,
      ]);
    }
    expect(text).toContain('terminationGracePeriodSeconds: 85');
    expect(text.match(/- name: shared/g)).toHaveLength(2);
    expect(text).toMatch(/- check\n +- "https:\/\/a\.example"\n +- --yes\n +- --skip\n/);
    expect(text).toMatch(/- "--resolve"\n +- "10\.0\.0\.1"/);
  });

  test('one instance is checked with its journal', () => {
    expect(helm('template', {})).not.toContain('--skip');
    expect(helm('template', { replicas: 2 })).toContain('--skip');
  });
});
