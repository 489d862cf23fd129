import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Manifest } from './_deploy.ts';
import { definitionFiles, kustomized, lacks, missing, templated } from './_tools.ts';
import { everything, variants } from './_variants.ts';

// A real API server: defaults, admission, Pod Security, and CEL in the schemas of custom resources.

const kubeconfig = process.env['WIREBIN_KUBECONFIG'];
const unset = kubeconfig === undefined ? 'there is none; .ci/apiserver starts one' : undefined;

/** Warnings are errors; so are fields that the server does not know. */
function kubectl(args: readonly string[], objects?: readonly Manifest[]): string {
  return execFileSync(
    'kubectl',
    ['--kubeconfig', kubeconfig ?? '', '--warnings-as-errors', ...args],
    {
      encoding: 'utf8',
      stdio: 'pipe',
      ...(objects && { input: objects.map((each) => JSON.stringify(each)).join('\n') }),
    },
  );
}

function apply(namespace: string, objects: readonly Manifest[]): string {
  const args = ['apply', '--server-side', '--validate=strict', '--namespace', namespace];
  return kubectl([...args, '--filename', '-'], objects);
}

/** A namespace whose Pods are restricted, with the account that a controller would make. */
function makeNamespace(name: string): void {
  const enforce = 'pod-security.kubernetes.io/enforce';
  const labels = { [enforce]: 'restricted', [enforce.replace('enforce', 'warn')]: 'restricted' };
  apply('default', [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }]);
  apply(name, [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }]);
}

interface Deployment extends Manifest {
  readonly spec: { readonly template: { readonly spec: object } };
}

function podOf(deployment: Manifest | undefined): Manifest {
  const { spec } = (deployment as Deployment).spec.template;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'wirebin' }, spec };
}

describe.skipIf(lacks('an API server', unset, missing.kustomize, missing.go))(
  'the API server',
  () => {
    beforeAll(() => {
      const kinds = new Set(
        variants
          .flatMap(kustomized)
          .filter(({ apiVersion }) => /^(?:gateway|monitoring)\./.test(apiVersion))
          .map(({ kind }) => kind),
      );
      const names = definitionFiles(kinds).map((path) => {
        const args = ['apply', '--server-side', '--filename', path, '--output', 'name'];
        return kubectl(args).trim();
      });
      expect(names).toHaveLength(6);
      kubectl(['wait', '--for', 'condition=established', '--timeout', '30s', ...names]);
    });

    test.each(variants.map((variant) => [variant.join('-') || 'base', variant] as const))(
      'takes %s of Kustomize',
      (name, variant) => {
        const namespace = `kustomize-${name}`;
        makeNamespace(namespace);
        const objects = kustomized(variant);
        const applied = apply(namespace, objects);
        expect(applied.match(/serverside-applied/g)).toHaveLength(objects.length);
        const pod = podOf(objects.find(({ kind }) => kind === 'Deployment'));
        expect(apply(namespace, [pod])).toContain('pod/wirebin');
      },
    );

    test.skipIf(lacks('the chart on an API server', missing.helm))('takes the chart', () => {
      makeNamespace('helm');
      const objects = templated(everything);
      expect(apply('helm', objects).match(/serverside-applied/g)).toHaveLength(objects.length);
    });

    test('refuses what is wrong', () => {
      makeNamespace('wrong');
      const objects = kustomized(everything);
      const route = objects.find(({ kind }) => kind === 'HTTPRoute');
      const rules = [{ backendRefs: [{ name: 'wirebin' }] }];
      expect(() =>
        apply('wrong', [{ ...route, spec: { ...(route?.['spec'] as object), rules } } as Manifest]),
      ).toThrow('Must have port for Service reference');
      const pod = podOf(objects.find(({ kind }) => kind === 'Deployment'));
      const spec = { ...(pod['spec'] as object), hostNetwork: true };
      expect(() => apply('wrong', [{ ...pod, spec }])).toThrow('violates PodSecurity');
    });
  },
);
