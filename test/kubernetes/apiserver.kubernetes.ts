import { beforeAll, describe, expect, test } from 'vitest';
import {
  apply,
  applyKustomization,
  defineCustomResources,
  makeNamespace,
  noApiServer,
} from './_apiserver.ts';
import type { Manifest } from './_deploy.ts';
import {
  inKustomization,
  kustomizationOf,
  kustomized,
  kustomizedIn,
  lacks,
  missing,
  templated,
} from './_tools.ts';
import { combinations, everything, variants } from './_variants.ts';

interface Deployment extends Manifest {
  readonly spec: { readonly template: { readonly spec: object } };
}

function podOf(deployment: Manifest | undefined): Manifest {
  const { spec } = (deployment as Deployment).spec.template;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'wirebin' }, spec };
}

describe.skipIf(lacks('an API server', noApiServer, missing.kustomize, missing.go))(
  'the API server',
  () => {
    beforeAll(defineCustomResources);

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

    test('takes the recipe', () => {
      makeNamespace('recipe');
      const objects = kustomizedIn('docs/recipes/gateway-api');
      expect(apply('recipe', objects).match(/serverside-applied/g)).toHaveLength(6);
    });

    test('takes each combination in place of another, and a second time nothing changes', () => {
      makeNamespace('combinations');
      for (const variant of combinations) {
        inKustomization(kustomizationOf(variant), (folder) => {
          const applied = applyKustomization('combinations', folder);
          expect(applyKustomization('combinations', folder), variant.join(', ')).toEqual(applied);
        });
      }
    }, 1_200_000);

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
