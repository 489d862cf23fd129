import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, commandsOf, type Command } from '../commands/_blocks.ts';
import { readCheckOptions } from '../../src/check/options.ts';
import { readInvocation } from '../../src/cli/command-line.ts';
import { settings, variableOf, type Settings } from '../../src/settings/settings.ts';
import { recipes, type Recipe } from './_recipes.ts';

const FOLDER = fileURLToPath(new URL('../../docs/recipes/', import.meta.url));

const entries = readdirSync(FOLDER, { recursive: true, encoding: 'utf8', withFileTypes: true });
const pages = entries.map(({ name }) => name).filter((name) => name.endsWith('.md'));

function read(name: string): string {
  return readFileSync(FOLDER + name, 'utf8');
}

function settingsOf(args: readonly string[]): Settings {
  const invocation = readInvocation(args, {});
  if (invocation.command !== 'serve') throw new Error(`${args.join(' ')} starts no service`);
  return invocation.settings;
}

/** The arguments of the first of some commands that begins with these words. */
function argumentsOf(commands: readonly Command[], start: string): string[] {
  const { text = '' } = commands.find((command) => command.text.startsWith(`${start} `)) ?? {};
  return text
    .slice(start.length)
    .replaceAll(/\\\n|'/g, '')
    .trim()
    .split(/ +/);
}

function startOf(name: string): string[] {
  return argumentsOf(blocksOf(read(name)).flatMap(commandsOf), 'wirebin');
}

const PACKED = 'npx --yes --package=./gateway/wirebin.tgz wirebin';

test('the index has every page', () => {
  const index = read('README.md');
  const others = pages.filter((name) => name !== 'README.md' && !index.includes(`(${name})`));
  expect(others).toEqual([]);
});

const variables = pages.flatMap((name) =>
  Array.from(new Set(read(name).match(/\bWIREBIN_[A-Z_]+\b/g)), (variable) => [name, variable]),
);

test.each(variables)('%s: %s is a setting', (_, variable) => {
  expect(Object.keys(settings).map(variableOf)).toContain(variable);
});

const withIdle = Object.entries<Recipe>(recipes).flatMap(([name, recipe]) =>
  recipe.idle ? [[name, recipe.idle[0], recipe.settings] as const] : [],
);

test.each(withIdle)('%s is idle for less than wirebin: %s', (name, limit, args) => {
  expect(Number(/\d+/.exec(limit)?.[0])).toBeLessThan(settingsOf(args).idleTimeout);
  expect(read(`${name}.md`)).toContain(limit);
});

describe('the load balancer of AWS', () => {
  interface Attribute {
    readonly Key: string;
    readonly Value: string;
  }
  const { Resources: resources } = parse(read('aws-alb/load-balancer.yaml'), {
    logLevel: 'silent',
  });
  const { idleTimeout, drainDelay, drainTimeout } = settingsOf(startOf('aws-alb.md'));

  test('closes idle connections before wirebin does', () => {
    const attributes: readonly Attribute[] =
      resources.LoadBalancer.Properties.LoadBalancerAttributes;
    const idle = attributes.find(({ Key }) => Key === 'idle_timeout.timeout_seconds');
    expect(Number(idle?.Value)).toBeLessThan(idleTimeout);
  });

  test.each(['Http1', 'Http2'])('notices a drain before the port closes: %s', (group) => {
    const { Properties: properties } = resources[group];
    const { UnhealthyThresholdCount: count, HealthCheckIntervalSeconds: interval } = properties;
    expect(drainDelay).toBeGreaterThan(count * interval);
    const [delay]: readonly Attribute[] = properties.TargetGroupAttributes;
    expect(Number(delay?.Value)).toBeGreaterThanOrEqual(drainDelay + drainTimeout);
  });
});

test('Google Cloud keeps idle connections for less than wirebin does', () => {
  expect(settingsOf(startOf('google-cloud.md')).idleTimeout).toBeGreaterThan(600);
});

test('the workflow checks a gateway with options that are there', () => {
  const { jobs } = parse(read('github-actions/gateway.yaml'));
  const runs: readonly string[] = jobs.check.steps.map(({ run = '' }) => run);
  const commands = runs.flatMap((text) => commandsOf({ line: 0, text }));
  const args = argumentsOf(commands, `${PACKED} check`);
  expect(readCheckOptions(args, {}).options).toMatchObject({ github: true, insecure: true });
  const environment: Record<string, string> = jobs.check.services.wirebin.env;
  expect(readInvocation([], environment)).toMatchObject({ settings: { tap: true } });
});

test('the job of GitLab checks a gateway with options and settings that are there', () => {
  const { check: job } = parse(read('gitlab-ci/.gitlab-ci.yml'));
  const commands = commandsOf({ line: 0, text: job.script[0] });
  const { options } = readCheckOptions(argumentsOf(commands, `${PACKED} check`), {});
  expect(options).toMatchObject({ insecure: true, baseline: 'gateway/baseline.json' });
  expect(options.report).toContain(`junit=${job.artifacts.reports.junit}`);
  const [{ alias, variables: environment }] = job.services;
  expect(job.variables.ORIGIN).toBe(`http://${alias}:8080`);
  expect(readInvocation([], environment)).toMatchObject({ settings: { tap: true } });
});

test('the example for Node is valid', () => {
  execFileSync(process.execPath, ['--check', `${FOLDER}testcontainers/wirebin.test.mjs`]);
});
