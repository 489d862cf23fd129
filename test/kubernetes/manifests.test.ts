import { Ajv, type AnySchemaObject } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { checks } from '../../src/check/catalogue/all.ts';
import { matchesAny } from '../../src/check/glob.ts';
import { options as checkOptions } from '../../src/check/options.ts';
import { allEndpoints, completeState } from '../../src/endpoints/all.ts';
import { createService, type Service } from '../../src/index.ts';
import { flagOf, settings, variableOf } from '../../src/settings/settings.ts';
import type { Setting } from '../../src/settings/setting.ts';
import { filesBelow, read, type Manifest } from './_deploy.ts';

// What can be known of the manifests without Kubernetes' tools; `npm run test:kubernetes` has the rest.

/** The Pod of `helm test`, which only the chart has. */
const check = read('deploy/helm/wirebin/templates/tests/check.yaml');
const podTemplate = read('deploy/helm/wirebin/templates/deployment.yaml');
const files = filesBelow('deploy');
const { version } = JSON.parse(read('package.json')) as { version: string };

interface Deployment extends Manifest {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: Readonly<Record<string, unknown>>;
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly startupProbe: HttpProbe;
  readonly readinessProbe: HttpProbe;
  readonly livenessProbe: { readonly exec: { readonly command: readonly string[] } };
}

interface HttpProbe {
  readonly httpGet: { readonly path: string };
}

const deployment = parse(read('deploy/kubernetes/base/deployment.yaml')) as Deployment;
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

const byVariable = new Map(
  Object.entries<Setting<unknown>>(settings).map(([name, setting]) => [variableOf(name), setting]),
);

/** What a setting is read as from what the container's environment has. */
function valueOf(variable: string): unknown {
  const text = container.env.find(({ name }) => name === variable)?.value;
  return text === undefined ? undefined : byVariable.get(variable)?.read(text);
}

test('every YAML of Kustomize can be read', () => {
  const sources = files.filter((path) => /^deploy\/kubernetes\/.*\.ya?ml$/.test(path));
  expect(sources.length).toBeGreaterThan(20);
  const faulty = sources.filter((path) =>
    parseAllDocuments(read(path)).some(({ errors, warnings }) => errors.length + warnings.length),
  );
  expect(faulty).toEqual([]);
});

describe('settings', () => {
  test('every variable is that of a setting', () => {
    const named = files.flatMap((path) =>
      Array.from(read(path).matchAll(/\bWIREBIN_[A-Z0-9_]+/g), ([variable]) => variable),
    );
    expect(new Set(named).size).toBeGreaterThan(10);
    // The last is a prefix in a pattern.
    const unknown = named.filter((name) => !byVariable.has(name) && name !== 'WIREBIN_');
    expect(unknown).toEqual([]);
  });

  test('every value is allowed', () => {
    const patches = files.filter((path) => /components\/.*\/deployment\.yaml$/.test(path));
    const containers = patches.map((path) => {
      const patch = parse(read(path)) as Deployment;
      return patch.spec.template.spec.containers[0];
    });
    const values = [container, ...containers].flatMap(({ env }) => env);
    expect(values.length).toBeGreaterThan(8);
    const refused = values.filter(
      ({ name, value }) => value !== undefined && byVariable.get(name)?.read(value) === undefined,
    );
    expect(refused).toEqual([]);
  });

  test('the grace period has room for the drain', () => {
    const drain = Number(valueOf('WIREBIN_DRAIN_DELAY')) + Number(valueOf('WIREBIN_DRAIN_TIMEOUT'));
    expect(drain).toBeGreaterThan(0);
    expect(pod.terminationGracePeriodSeconds).toBe(drain + 5);
  });

  test('contents need at most a quarter of the memory', () => {
    expect(container.resources.limits.memory).toBe('1Gi');
    expect(valueOf('WIREBIN_MAX_CONTENT_MEMORY')).toBeLessThanOrEqual(1024 ** 3 / 4);
  });
});

describe('the container', () => {
  const dockerfile = read('Dockerfile');
  const last = (instruction: string): string | undefined =>
    [...dockerfile.matchAll(new RegExp(`^${instruction} (.*)$`, 'gm'))].at(-1)?.[1];

  test('its port is the default', () => {
    expect(container.ports.map(({ containerPort }) => containerPort)).toEqual([
      settings.port.default,
    ]);
    expect(podTemplate).toContain(`containerPort: ${settings.port.default}`);
  });

  test('its user is the one of the image, by number', () => {
    const [user, group] = last('USER')?.split(':') ?? [];
    expect(user).toMatch(/^[1-9]\d*$/);
    for (const text of [podTemplate, check]) {
      expect(text).toContain(`runAsUser: ${user}`);
      expect(text).toContain(`runAsGroup: ${group}`);
    }
    const { runAsUser, runAsGroup } = pod.securityContext;
    expect([String(runAsUser), String(runAsGroup)]).toEqual([user, group]);
    expect(dockerfile).toContain(`--chown=${user}:${group} /wirebin/certs`);
  });

  test('the volume is where the image keeps the certificate', () => {
    const mount = `${last('WORKDIR')}/certs`;
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([mount]);
    expect(podTemplate).toContain(`mountPath: ${mount}`);
  });

  test('the image runs wirebin, with the arguments that the container is given', () => {
    const program = ['node', `${last('WORKDIR')}/dist/main.js`];
    expect(JSON.parse(last('ENTRYPOINT') ?? '')).toEqual(program);
    expect(last('CMD')).toBeUndefined();
    expect(dockerfile).toContain(
      `CMD ${JSON.stringify([...program, 'health']).replaceAll(',', ', ')}`,
    );
    expect(check).toMatch(/ args:\n +- check/);
    // The only one is that of the probe, which has no ENTRYPOINT.
    const commands = files.flatMap((path) => read(path).match(/^ *command:/gm) ?? []);
    expect(commands).toHaveLength(2);
    expect(container.livenessProbe.exec.command).toEqual([...program, 'health', 'live']);
  });

  test('the paths of probes and of the monitor are endpoints', () => {
    const paths = files.flatMap((path) =>
      Array.from(read(path).matchAll(/^ +path: (\/\w+z?|\/metrics)$/gm), ([, found]) => found),
    );
    expect(new Set(paths)).toEqual(new Set(['/healthz', '/readyz', '/metrics']));
    const known = new Set(allEndpoints(completeState).map(({ path }) => path));
    expect(paths.filter((path = '') => !known.has(path))).toEqual([]);
    expect(container.startupProbe.httpGet.path).toBe('/healthz');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  });
});

test('versions are those of the package', () => {
  const about = parse(read('deploy/helm/wirebin/Chart.yaml')) as Readonly<Record<string, string>>;
  expect(about).toMatchObject({ version, appVersion: version });
  expect(container.image).toBe(`wirebin:${version}`);
  expect(read('Dockerfile')).toContain(`org.opencontainers.image.version="${version}"`);
});

test('the flags of the check are its options', () => {
  const flags = [...check.matchAll(/- --([a-z-]+)$/gm)];
  expect(flags.map(([, flag]) => flag)).toEqual(['yes', 'skip']);
  expect(Object.keys(checkOptions).map(flagOf)).toEqual(expect.arrayContaining(['yes', 'skip']));
});

describe('values of the chart', () => {
  const schema = JSON.parse(read('deploy/helm/wirebin/values.schema.json')) as AnySchemaObject;
  const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);
  const values = parse(read('deploy/helm/wirebin/values.yaml')) as object;

  test('the defaults are those that the schema allows, and all of them', () => {
    expect(validate(values) || validate.errors).toBe(true);
    // Helm adds `global`.
    const declared = Object.keys(schema['properties']).filter((name) => name !== 'global');
    expect(Object.keys(values).toSorted()).toEqual(declared.toSorted());
  });

  test.each([
    { replica: 2 },
    { replicas: '2' },
    { env: { WIREBIN_PORT: '9000' } },
    { env: { WIREBIN_TAP: true } },
    { mtls: { enable: true } },
    { check: { url: 'wirebin.example' } },
  ])('%j is refused', (wrong) => {
    expect(validate({ ...values, ...wrong })).toBe(false);
  });
});

test('the check of several instances leaves out what needs one journal', () => {
  const [, globs = ''] = /- --skip\n +- (.*)/.exec(check) ?? [];
  const skipped = checks.filter(({ id }) => matchesAny(id, globs.split(',')));
  expect(skipped.length).toBeGreaterThan(5);
  const needing = checks.filter(({ needs }) => needs?.includes('journal'));
  const missed = needing.filter((each) => !skipped.includes(each)).map(({ id }) => id);
  expect(missed, 'add their topics to --skip in templates/tests/check.yaml').toEqual([]);
});

describe('with client certificates', () => {
  let service: Service;
  beforeAll(async () => {
    service = await createService({ metricsEnabled: true, clientCert: 'require' });
  });
  afterAll(() => service.close());

  test.each(['/healthz', '/readyz'])('probes get %s without one', async (path) => {
    const response = await fetch(`${service.httpOrigin}${path}`);
    expect(await response.text()).toBe('OK');
  });

  test('Prometheus gets text', async () => {
    // Prometheus 3, which prefers UTF-8 in names.
    const accept =
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,' +
      'application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,' +
      'text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
    const response = await fetch(`${service.httpOrigin}/metrics`, { headers: { accept } });
    expect(response.headers.get('content-type')).toMatch(
      /^(?:text\/plain|application\/openmetrics)/,
    );
    expect(await response.text()).toContain('wirebin_build_info{');
  });
});
