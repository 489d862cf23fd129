import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './_deploy.ts';
import { componentsOf, valuesOf, type Variant } from './_variants.ts';

const root = new URL('../..', import.meta.url).pathname;
const chart = join(root, 'deploy/helm/wirebin');

/** The modules whose files have the schemas of custom resources. */
const MODULES = [
  ['sigs.k8s.io/gateway-api@v1.6.3', 'config/crd/standard'],
  ['github.com/prometheus-operator/prometheus-operator@v0.85.0', 'example/prometheus-operator-crd'],
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
  go: works('go', 'version') ? undefined : 'go, which downloads the schemas, is not installed',
};

function works(program: string, ...args: string[]): boolean {
  return spawnSync(program, args).status === 0;
}

/** Says on standard output what is not tested; true if something is missing. */
export function lacks(what: string, ...needs: (string | undefined)[]): boolean {
  const reasons = needs.filter((reason) => reason !== undefined);
  if (reasons.length > 0) console.log(`NOT TESTED, ${what}: ${reasons.join(', ')}`);
  return reasons.length > 0;
}

/** What Kustomize makes of the base and the components of a variant. */
export function kustomized(variant: Variant): Manifest[] {
  const [program = '', command = ''] = kustomize ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'wirebin-kustomize-'));
  try {
    const from = (path: string): string => relative(folder, join(root, 'deploy/kubernetes', path));
    const overlay = {
      resources: [from('base')],
      components: componentsOf(variant).map((name) => from(`components/${name}`)),
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(overlay));
    return manifests(execFileSync(program, [command, folder], { encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
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

function manifests(text: string): Manifest[] {
  // Kubernetes reads YAML 1.1.
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** The newest three minor versions that kubernetes-validate has: those that Kubernetes supports. */
export function supportedVersions(): string[] {
  const version = execFileSync('kubernetes-validate', ['--version'], { encoding: 'utf8' });
  const [major, minor = ''] = version.trim().split('.');
  return [2, 1, 0].map((older) => `${major}.${Number(minor) - older}`);
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

/** The schemas of custom resources of some kinds by `apiVersion` and kind. */
export function customSchemas(kinds: ReadonlySet<string>): Map<string, CustomSchema> {
  const folder = mkdtempSync(join(tmpdir(), 'wirebin-modules-'));
  try {
    mkdirSync(join(folder, 'none'));
    const schemas = new Map<string, CustomSchema>();
    for (const [module, path] of MODULES) {
      // Outside of a module, so that none is changed.
      const options = { cwd: join(folder, 'none'), encoding: 'utf8' } as const;
      const out = execFileSync('go', ['mod', 'download', '-json', module], options);
      const { Dir } = JSON.parse(out) as { Dir: string };
      const definitions = readdirSync(join(Dir, path))
        .map((name) => readFileSync(join(Dir, path, name), 'utf8'))
        // To parse all of them takes seconds.
        .filter((text) => kinds.has(/^ {4}kind: (.+)$/m.exec(text)?.[1] ?? ''))
        .flatMap(manifests)
        .filter(isDefinition);
      for (const definition of definitions) {
        const { group, names, versions } = definition.spec;
        for (const { name: version, schema } of versions) {
          schemas.set(`${group}/${version} ${names.kind}`, schema.openAPIV3Schema);
        }
      }
    }
    return schemas;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
