import { Ajv, type ValidateFunction } from 'ajv';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Manifest } from './_deploy.ts';
import {
  complaints,
  customSchemas,
  kustomized,
  kustomizedIn,
  lacks,
  missing,
  supportedVersions,
  templated,
} from './_tools.ts';
import { everything, type Variant } from './_variants.ts';

const source =
  missing.kustomize === undefined || missing.helm === undefined ? undefined : missing.kustomize;

const checked: readonly Variant[] = [[], ['gateway', 'routes', 'backend-tls'], everything];

/** From both, if they are there: only the chart has the Pod of `helm test`. */
const objects = [
  ...(missing.kustomize === undefined
    ? [...checked.flatMap(kustomized), ...kustomizedIn('docs/recipes/gateway-api')]
    : []),
  ...(missing.helm === undefined ? checked.flatMap(templated) : []),
];

/** Whether an object is of Kubernetes itself, not a custom resource. */
const isOwn = ({ apiVersion }: Manifest): boolean =>
  !apiVersion.includes('.') ||
  (/^[\w.]+\.k8s\.io\//.test(apiVersion) && !apiVersion.startsWith('gateway.'));

const versions = missing.validate === undefined ? supportedVersions() : [];

describe.skipIf(lacks('the schemas of Kubernetes', missing.validate, source))(
  'kubernetes-validate',
  () => {
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
  },
);

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

describe.skipIf(lacks('the schemas of custom resources', missing.go, source))(
  'custom resources',
  () => {
    const validators = new Map<string, ValidateFunction>();
    const custom = objects.filter((manifest) => !isOwn(manifest));
    const kinds = [...new Set(custom.map(({ kind }) => kind))];
    const validatorOf = ({ apiVersion, kind }: Manifest) => validators.get(`${apiVersion} ${kind}`);

    beforeAll(() => {
      // Its formats are those of OpenAPI, such as int32.
      const ajv = new Ajv({
        strict: false,
        validateFormats: false,
        allErrors: true,
        code: { regExp: goRegExp },
      });
      for (const [key, schema] of customSchemas(new Set(kinds))) {
        // That of metadata is Kubernetes' own.
        const { metadata: _, ...properties } = schema.properties;
        validators.set(key, ajv.compile({ ...closed({ ...schema, properties }), required: [] }));
      }
    });

    test.each(kinds)('%s fits its schema', (kind) => {
      for (const manifest of custom.filter((each) => each.kind === kind)) {
        const validate = validatorOf(manifest);
        const { metadata: _, ...rest } = manifest;
        expect(validate?.(rest) || validate?.errors).toBe(true);
      }
    });

    test.each(kinds)('an unknown field of %s is found', (kind) => {
      const manifest = custom.find((each) => each.kind === kind);
      const { metadata: _, ...rest } = manifest ?? { metadata: undefined };
      const spec = { ...(manifest?.['spec'] as object), surplus: true };
      expect(manifest && validatorOf(manifest)?.({ ...rest, spec })).toBe(false);
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
  },
);
