import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { read, type Manifest } from './_deploy.ts';
import { valuesOf, type Variant } from './_variants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const chart = join(root, 'deploy/helm/wirebin');

/**
 * Versions of the Gateway API: the oldest that will do, the first with client certificates, and the newest whose module
 * Go 1.26 downloads.
 */
export const GATEWAY_API = { oldest: '1.4.1', withClientCerts: '1.5.0', newest: '1.6.3' } as const;

/** The modules whose files have the schemas of custom resources. */
const modules = (gatewayApi: string) =>
  [
    [`sigs.k8s.io/gateway-api@v${gatewayApi}`, 'config/crd/standard'],
    [
      'github.com/prometheus-operator/prometheus-operator@v0.85.0',
      'example/prometheus-operator-crd',
    ],
  ] as const;

/** Kustomize by itself, or that of kubectl. */
const kustomize = works('kustomize', 'version')
  ? ['kustomize', 'build']
  : works('kubectl', 'version', '--client')
    ? ['kubectl', 'kustomize']
    : undefined;

/** What a test needs, and why it is not run where that is missing. */
export const missing = {
  kustomize: kustomize ? undefined : 'neither kustomize nor kubectl is installed',
  helm: works('helm', 'version') ? undefined : 'helm is not installed',
  validate: works('kubernetes-validate', '--version')
    ? undefined
    : 'kubernetes-validate (PyPI) is not installed',
  promtool: works('promtool', '--version') ? undefined : 'promtool is not installed',
  go: works('go', 'version') ? undefined : 'go, which downloads the schemas, is not installed',
};

function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

/** Says on standard output what is not tested; true if something is missing. */
export function lacks(what: string, ...needs: (string | undefined)[]): boolean {
  const reasons = needs.filter((reason) => reason !== undefined);
  if (reasons.length > 0) console.log(`NOT TESTED: ${what} (${reasons.join(', ')})`);
  return reasons.length > 0;
}

/** What Kustomize makes of the base and the components of a variant. */
export function kustomized(variant: Variant): Manifest[] {
  return kustomizedBy(kustomizationOf(variant));
}

/** What Kustomize makes of a kustomization; `text` is given the path of deploy/kubernetes from there. */
export function kustomizedBy(text: (folder: string) => string): Manifest[] {
  return inKustomization(text, kustomizedIn);
}

export function kustomizationOf(variant: Variant): (folder: string) => string {
  return (folder) =>
    JSON.stringify({
      resources: [`${folder}/base`],
      components: variant.map((name) => `${folder}/components/${name}`),
    });
}

/** Calls `use` with the folder of a kustomization; `text` is given the path of deploy/kubernetes from there. */
export function inKustomization<T>(
  text: (folder: string) => string,
  use: (folder: string) => T,
): T {
  const folder = mkdtempSync(join(tmpdir(), 'wirebin-kustomize-'));
  try {
    const from = relative(folder, join(root, 'deploy/kubernetes'));
    writeFileSync(join(folder, 'kustomization.yaml'), text(from));
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What Kustomize makes of the kustomization in a folder. */
export function kustomizedIn(folder: string): Manifest[] {
  const [program = '', command = ''] = kustomize ?? [];
  return manifests(execFileSync(program, [command, folder], { encoding: 'utf8' }));
}

/** Runs Helm with the chart. @throws if it fails */
export function helm(command: 'lint' | 'template', values: object, ...args: string[]): string {
  // Helm as `go install` builds it takes 1.20 for the version of Kubernetes.
  const before = command === 'template' ? ['--kube-version', '1.37', 'wirebin'] : [];
  return execFileSync('helm', [command, ...before, chart, '--values', '-', ...args], {
    encoding: 'utf8',
    input: JSON.stringify(values),
    stdio: 'pipe',
  });
}

/** The objects of the chart, those for `helm test` included. */
export function templated(variant: Variant): Manifest[] {
  return manifests(helm('template', valuesOf(variant)));
}

export function manifests(text: string): Manifest[] {
  // Kubernetes reads YAML 1.1.
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** Minor versions of Kubernetes: from the oldest that the chart allows to the newest that kubernetes-validate has. */
export function supportedVersions(): string[] {
  const [, oldest] =
    /^kubeVersion: '>=1\.(\d+)\./m.exec(read('deploy/helm/wirebin/Chart.yaml')) ?? [];
  const out = execFileSync('kubernetes-validate', ['--version'], { encoding: 'utf8' });
  const [, newest] = /^1\.(\d+)\./.exec(out) ?? [];
  const count = Number(newest) - Number(oldest) + 1;
  return Array.from({ length: count }, (_, nth) => `1.${Number(oldest) + nth}`);
}

/** The complaints of kubernetes-validate about objects of Kubernetes itself. */
export function complaints(objects: readonly Manifest[], version: string): string[] {
  const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
  const args = ['--strict', '--quiet', '--kubernetes-version', version, '-'];
  const { stdout, stderr, status } = spawnSync('kubernetes-validate', args, {
    input,
    encoding: 'utf8',
  });
  const lines = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
  return status === 0 || lines.length > 0 ? lines : [`exit code ${status}`];
}

interface CustomSchema {
  readonly properties: Readonly<Record<string, object>>;
}

/** A CustomResourceDefinition, as far as it is needed. */
interface Definition extends Manifest {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: CustomSchema };
    }[];
  };
}

function isDefinition(manifest: Manifest): manifest is Definition {
  return manifest.kind === 'CustomResourceDefinition';
}

/** The files that define some kinds of custom resources. */
export function definitionFiles(
  kinds: ReadonlySet<string>,
  gatewayApi: string = GATEWAY_API.newest,
): string[] {
  return modules(gatewayApi).flatMap(([module, path]) => {
    // Outside of a module, so that none is changed.
    const options = { cwd: tmpdir(), encoding: 'utf8' } as const;
    const out = execFileSync('go', ['mod', 'download', '-json', module], options);
    const { Dir } = JSON.parse(out) as { Dir: string };
    const folder = join(Dir, path);
    return readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((file) => kinds.has(/^ {4}kind: (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? ''));
  });
}

/** The schemas of custom resources of some kinds by `apiVersion` and kind. */
export function customSchemas(
  kinds: ReadonlySet<string>,
  gatewayApi: string = GATEWAY_API.newest,
): Map<string, CustomSchema> {
  const definitions = definitionFiles(kinds, gatewayApi)
    .flatMap((file) => manifests(readFileSync(file, 'utf8')))
    .filter(isDefinition);
  return new Map(
    definitions.flatMap(({ spec: { group, names, versions } }) =>
      versions.map(
        ({ name, schema }) => [`${group}/${name} ${names.kind}`, schema.openAPIV3Schema] as const,
      ),
    ),
  );
}
