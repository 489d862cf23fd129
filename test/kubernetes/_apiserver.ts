import { execFileSync } from 'node:child_process';
import { expect } from 'vitest';
import type { Manifest } from './_deploy.ts';
import { definitionFiles } from './_tools.ts';

// A real API server: defaults, admission, Pod Security, and CEL in the schemas of custom resources.

export const kubeconfig = process.env['WIREBIN_KUBECONFIG'];

/** Why tests that need it are not run. */
export const noApiServer =
  kubeconfig === undefined ? 'there is none; .ci/apiserver starts one' : undefined;

/** The kinds of custom resources in deploy/. */
const CUSTOM = new Set([
  'Gateway',
  'HTTPRoute',
  'GRPCRoute',
  'BackendTLSPolicy',
  'PodMonitor',
  'PrometheusRule',
]);

/** Warnings are errors; so are fields that the server does not know. */
export function kubectl(args: readonly string[], objects?: readonly Manifest[]): string {
  return execFileSync(
    'kubectl',
    ['--kubeconfig', kubeconfig ?? '', '--warnings-as-errors', ...args],
    {
      encoding: 'utf8',
      stdio: 'pipe',
      maxBuffer: 2 ** 26,
      ...(objects && { input: objects.map((each) => JSON.stringify(each)).join('\n') }),
    },
  );
}

const APPLY = ['apply', '--server-side', '--validate=strict', '--namespace'];

export function apply(namespace: string, objects: readonly Manifest[]): string {
  return kubectl([...APPLY, namespace, '--filename', '-'], objects);
}

/** @returns the objects as the server has them afterwards, with the managers of each field and when they have set it */
export function applyKustomization(namespace: string, folder: string): string {
  const output = ['--output', 'json', '--show-managed-fields'];
  const text = kubectl([...APPLY, namespace, '--kustomize', folder, ...output]);
  // That of a Gateway changes without anything else, once.
  return text.replaceAll(/"resourceVersion": "\d+"/g, '');
}

/** A namespace whose Pods are restricted, with the account that a controller would make. */
export function makeNamespace(name: string): void {
  const enforce = 'pod-security.kubernetes.io/enforce';
  const labels = { [enforce]: 'restricted', [enforce.replace('enforce', 'warn')]: 'restricted' };
  apply('default', [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }]);
  apply(name, [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }]);
}

export function defineCustomResources(): void {
  const names = definitionFiles(CUSTOM).map((path) => {
    const args = ['apply', '--server-side', '--filename', path, '--output', 'name'];
    return kubectl(args).trim();
  });
  expect(names).toHaveLength(CUSTOM.size);
  kubectl(['wait', '--for', 'condition=established', '--timeout', '30s', ...names]);
}
