import { Ajv, type ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import { read, type Manifest } from './_deploy.ts';
import {
  GATEWAY_API,
  complaints,
  customSchemas,
  kustomizedIn,
  lacks,
  missing,
  supportedVersions,
  templated,
} from './_tools.ts';
import { everything, type Variant } from './_variants.ts';

const checked: readonly Variant[] = [[], ['gateway', 'routes', 'backend-tls'], everything];

/** Those of Kustomize are the same, which chart.kubernetes.ts tests, and its patches make others of them. */
const objects =
  missing.helm === undefined && missing.kustomize === undefined
    ? [...checked.flatMap(templated), ...kustomizedIn('docs/recipes/gateway-api')]
    : [];

/** Whether an object is of Kubernetes itself, not a custom resource. */
const isOwn = ({ apiVersion }: Manifest): boolean =>
  !apiVersion.includes('.') ||
  (/^[\w.]+\.k8s\.io\//.test(apiVersion) && !apiVersion.startsWith('gateway.'));

const versions = missing.validate === undefined ? supportedVersions() : [];

describe.skipIf(
  lacks('the schemas of Kubernetes', missing.validate, missing.helm, missing.kustomize),
)('kubernetes-validate', () => {
  const own = objects.filter(isOwn);

  test.each(versions)('finds nothing for Kubernetes %s', (version) => {
    expect(new Set(own.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(6);
    expect(complaints(own, version)).toEqual([]);
  });

  test.each(versions)('finds a field that Kubernetes %s does not have', (version) => {
    const deployment = own.find(({ kind }) => kind === 'Deployment');
    const wrong = { ...deployment, spec: { ...(deployment?.['spec'] as object), replicaz: 1 } };
    expect(complaints([wrong as Manifest], version)).toEqual([
      expect.stringContaining("'replicaz' was unexpected"),
    ]);
  });
});

/** As the API server does it: fields that a schema does not declare are refused. */
function closed(schema: object): object {
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, member]: [string, unknown]) => [
      name,
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? closed(member)
        : member,
    ]),
  );
  const isOpen = 'x-kubernetes-preserve-unknown-fields' in schema;
  return 'properties' in schema && 'type' in schema && schema.type === 'object' && !isOpen
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** Go's expressions begin with their flags. */
const goRegExp = Object.assign(
  (pattern: string) =>
    new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? 'iu' : 'u'),
  { code: 'goRegExp' },
);

const schemas = 'the schemas of custom resources';

const custom = objects.filter((manifest) => !isOwn(manifest));
const usesClientCerts = ({ kind, spec }: Manifest): boolean =>
  kind === 'Gateway' && typeof spec === 'object' && spec !== null && 'tls' in spec;

describe.skipIf(lacks(schemas, missing.go, missing.helm, missing.kustomize)).each([
  [GATEWAY_API.oldest, custom.filter((manifest) => !usesClientCerts(manifest))],
  [GATEWAY_API.withClientCerts, custom],
  [GATEWAY_API.newest, custom],
])('custom resources, with version %s of the Gateway API', (gatewayApi, fitting) => {
  const validators = new Map<string, ValidateFunction>();
  const kinds = [...new Set(custom.map(({ kind }) => kind))];
  const validate = (manifest: Manifest) => {
    const { metadata: _, ...rest } = manifest;
    const validator = validators.get(`${manifest.apiVersion} ${manifest.kind}`);
    return validator?.(rest) || validator?.errors;
  };

  beforeAll(() => {
    // Its formats are those of OpenAPI, such as int32.
    const ajv = new Ajv({
      strict: false,
      validateFormats: false,
      allErrors: true,
      code: { regExp: goRegExp },
    });
    for (const [key, schema] of customSchemas(new Set(kinds), gatewayApi)) {
      // That of metadata is Kubernetes' own.
      const { metadata: _, ...properties } = schema.properties;
      validators.set(key, ajv.compile({ ...closed({ ...schema, properties }), required: [] }));
    }
  });

  test.each(kinds)('%s fits its schema', (kind) => {
    const manifests = fitting.filter((each) => each.kind === kind);
    expect(manifests).not.toEqual([]);
    for (const manifest of manifests) expect(validate(manifest)).toBe(true);
  });

  test.each(kinds)('an unknown field of %s is found', (kind) => {
    const manifest = fitting.find((each) => each.kind === kind);
    const spec = { ...(manifest?.['spec'] as object), surplus: true };
    expect(validate({ ...manifest, spec } as Manifest)).toEqual([
      expect.objectContaining({ params: { additionalProperty: 'surplus' } }),
    ]);
  });

  test('client certificates need a version that has them', () => {
    const using = custom.filter(usesClientCerts);
    expect(using).not.toEqual([]);
    const fits = using.map((manifest) => validate(manifest) === true);
    expect(fits).toEqual(using.map(() => gatewayApi !== GATEWAY_API.oldest));
  });

  test('none is left out', () => {
    expect(kinds.toSorted()).toEqual([
      'BackendTLSPolicy',
      'GRPCRoute',
      'Gateway',
      'HTTPRoute',
      'PodMonitor',
      'PrometheusRule',
    ]);
  });
});

const minor = (version: string): string => version.replace(/\.\d+$/, '');

test('docs/kubernetes.md names the oldest versions', () => {
  const text = read('docs/kubernetes.md').replaceAll('\n', ' ');
  const [, kubernetes] =
    /^kubeVersion: '>=(1\.\d+)\./m.exec(read('deploy/helm/wirebin/Chart.yaml')) ?? [];
  expect(text).toContain(`Kubernetes ${kubernetes} or later`);
  expect(text).toContain(`Gateway API ${minor(GATEWAY_API.oldest)} or later`);
  expect(text).toContain(`need ${minor(GATEWAY_API.withClientCerts)}.`);
});
