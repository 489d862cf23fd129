import { execFile, execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCheck } from '../../src/check/command.ts';
import { createService, type Service } from '../../src/index.ts';
import {
  defineCustomResources,
  kubeconfig,
  kubectl,
  makeNamespace,
  noApiServer,
} from './_apiserver.ts';
import type { Manifest } from './_deploy.ts';
import { chart, lacks, manifests, missing, templated } from './_tools.ts';
import { everything, valuesOf, type Variant } from './_variants.ts';
import { streams } from '../_streams.ts';

const NAMESPACE = 'release';

/** All kinds that the chart has. */
const KINDS =
  'deployments,services,poddisruptionbudgets,gateways,httproutes,grpcroutes,backendtlspolicies,' +
  'podmonitors,prometheusrules,configmaps,horizontalpodautoscalers,networkpolicies,pods';

/** helm COMMAND, with the release where it expects it. */
const argumentsOf = (...command: readonly string[]): readonly string[] => [
  ...command,
  '--kubeconfig',
  kubeconfig ?? '',
  '--namespace',
  NAMESPACE,
];

function helm(...command: readonly string[]): string {
  return execFileSync('helm', argumentsOf(...command), { encoding: 'utf8', stdio: 'pipe' });
}

function release(command: 'install' | 'upgrade', values: object): void {
  execFileSync('helm', argumentsOf(command, 'wirebin', chart, '--values', '-'), {
    input: JSON.stringify(values),
    stdio: 'pipe',
  });
}

const withoutHooks = (objects: readonly Manifest[]): Manifest[] =>
  objects.filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined);

const keyOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

/** The objects of the release, or of another one of that name, as the server has them. */
function live(): Map<string, Manifest> {
  const args = ['get', KINDS, '--selector', 'app.kubernetes.io/instance=wirebin'];
  const text = kubectl([...args, '--namespace', NAMESPACE, '--output', 'json']);
  const { items } = JSON.parse(text) as { items: Manifest[] };
  return new Map(items.map((manifest) => [keyOf(manifest), manifest]));
}

/** The server has the objects of the chart, as they are in it, and no others. */
function expectReleased(variant: Variant): void {
  const expected = withoutHooks(templated(variant));
  expect(manifests(helm('get', 'manifest', 'wirebin'))).toEqual(expected);
  const objects = live();
  expect([...objects.keys()].toSorted()).toEqual(expected.map(keyOf).toSorted());
  for (const manifest of expected) expect(objects.get(keyOf(manifest))).toMatchObject(manifest);
}

interface Pod extends Manifest {
  readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] };
}

/** Does what a kubelet does with the Pod of `helm test`: runs it, and reports how it has ended. */
async function runPod(): Promise<void> {
  let pod: Manifest | undefined;
  while ((pod = live().get('Pod wirebin-check')) === undefined) await pause(100);
  const [command, ...args] = (pod as Pod).spec.containers[0].args;
  expect(command).toBe('check');
  const exit = await runCheck(args, streams());
  const phase = exit === 0 ? 'Succeeded' : 'Failed';
  const patch = JSON.stringify({ status: { phase } });
  const object = ['pod', 'wirebin-check', '--subresource', 'status', '--namespace', NAMESPACE];
  kubectl(['patch', ...object, '--type', 'merge', '--patch', patch]);
}

/** @returns what Helm says; rejects if the test has failed */
async function helmTest(): Promise<string> {
  const args = argumentsOf('test', 'wirebin', '--timeout', '60s');
  const [{ stdout }] = await Promise.all([promisify(execFile)('helm', args), runPod()]);
  return stdout;
}

describe.skipIf(lacks('a release of the chart', noApiServer, missing.helm, missing.go))(
  'a release of the chart',
  () => {
    let service: Service;
    beforeAll(async () => {
      defineCustomResources();
      makeNamespace(NAMESPACE);
      service = await createService();
    });
    afterAll(() => service.close());

    test('is installed', () => {
      release('install', {});
      expectReleased([]);
    });

    test.each<[string, Variant]>([
      ['everything', everything],
      ['less', ['routes', 'monitoring']],
      ['TLS', ['gateway', 'routes', 'backend-tls']],
    ])('is upgraded: %s', (_, variant) => {
      release('upgrade', valuesOf(variant));
      expectReleased(variant);
    });

    test('is rolled back', () => {
      helm('rollback', 'wirebin', '1');
      expectReleased([]);
    });

    test('is tested by `wirebin check`, whose exit code is the result', async () => {
      const args = ['--only', 'field/*'];
      release('upgrade', { check: { url: service.httpOrigin, args } });
      expect(await helmTest()).toMatch(/Phase: +Succeeded/);
      release('upgrade', { check: { url: 'http://127.0.0.1:1', args } });
      await expect(helmTest()).rejects.toThrow('pod wirebin-check failed');
    });

    test('is uninstalled', () => {
      helm('uninstall', 'wirebin');
      // Helm leaves the Pod of its test.
      expect([...live().keys()]).toEqual(['Pod wirebin-check']);
    });
  },
);
