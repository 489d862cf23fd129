import { describe, expect, test } from 'vitest';
import { settings, variableOf } from '../../src/settings/settings.ts';
import { read } from './_deploy.ts';
import { customSchemas, kustomizedIn, lacks, missing } from './_tools.ts';

const page = read('docs/recipes/gateway-api.md');

/** The first group of a pattern that the page matches. */
function onPage(pattern: RegExp): string {
  const [, found] = pattern.exec(page) ?? [];
  if (found === undefined) throw new Error(`the page has no ${pattern.source}`);
  return found;
}

describe.skipIf(lacks('the recipe for Gateway API', missing.kustomize))('the recipe', () => {
  const objects = missing.kustomize === undefined ? kustomizedIn('docs/recipes/gateway-api') : [];
  const textOf = (kind: string, name: string): string => {
    const object = objects.find((each) => each.kind === kind && each.metadata.name === name);
    return JSON.stringify(object ?? expect.fail(`there is no ${kind} ${name}`));
  };

  test('the patches arrive', () => {
    expect(textOf('Gateway', 'wirebin')).toContain('"gatewayClassName":"NAME"');
    const deployment = textOf('Deployment', 'wirebin');
    expect(deployment).toContain('"image":"registry.example/wirebin:');
    expect(deployment).toContain('{"name":"WIREBIN_TAP","value":"true"}');
    const [, network] = /"WIREBIN_TRUST_PROXY","value":"([^"]+)"/.exec(deployment) ?? [];
    expect(settings.trustProxy.read(network ?? '')).toBeDefined();
    expect(variableOf('trustProxy')).toBe('WIREBIN_TRUST_PROXY');
  });

  test('the commands name objects that there are', () => {
    const gateway = textOf('Gateway', onPage(/kubectl wait gateway\/(\S+)/));
    expect(gateway).toContain(`"${onPage(/kubectl create secret tls (\S+)/)}"`);
    textOf('Gateway', onPage(/kubectl get gateway (\S+)/));
    const service = textOf('Service', onPage(/kubectl port-forward service\/(\S+)/));
    expect(service).toContain(`"port":${onPage(/port-forward service\/\S+ \d+:(\d+)/)},`);
    expect(textOf('HTTPRoute', 'wirebin')).toContain(`["${onPage(/--resolve ([^:]+):443/)}"]`);
  });

  test.skipIf(lacks('the status of a Gateway', missing.go))('the address is in its status', () => {
    const schema: unknown = customSchemas(new Set(['Gateway'])).get(
      'gateway.networking.k8s.io/v1 Gateway',
    );
    const path = onPage(/jsonpath='\{\.(.*)\}'/).replaceAll(/\[\d+\]/g, '.items');
    const inSchema = path
      .split('.')
      .flatMap((name) => (name === 'items' ? [name] : ['properties', name]));
    expect(schema).toHaveProperty([...inSchema, 'type'], 'string');
  });
});
