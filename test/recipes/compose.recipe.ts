import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { selfSignedCredentials } from '../../src/net/certificates.ts';
import { startService } from '../_service.ts';
import { freePorts } from '../_system.ts';
import { Directory, howToInstall, pathOf, startServer } from '../proxies/_proxy-process.ts';
import { withPorts } from './_checkout.ts';
import { receive, untilServed } from './_client.ts';
import { recipes, type Recipe } from './_recipes.ts';
import { FOLDER } from './_section.ts';

interface Container {
  readonly command: readonly string[];
  readonly ports: readonly string[];
}

const { services }: { readonly services: Readonly<Record<string, Container>> } = parse(
  readFileSync('compose.yaml', 'utf8'),
  { merge: true },
);
const { wirebin } = services;

const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;

test.skipIf(!hasCompose)('docker compose takes the file', () => {
  const { stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], { encoding: 'utf8' });
  expect(stderr).toBe('');
});

/** Runs the command of a proxy's container with the folders and ports of this machine. @returns the port of one written */
async function startContainer(name: string, { configuration, fronts }: Recipe) {
  const directory = new Directory();
  onTestFinished(() => directory.remove());
  const [certs, files] = ['certs', 'recipes'].map((folder) => join(directory.path, folder));
  await selfSignedCredentials(String(certs), Date.now());
  const { port: origin } = await startService(...(wirebin?.command ?? []));
  const free = await freePorts(fronts.length);
  const ports = new Map(fronts.map(({ port }, at) => [port, free[at] ?? 0]));
  const place = withPorts(ports);
  cpSync(join(FOLDER, name), join(String(files), name), { recursive: true });
  for (const file of configuration) {
    const path = join(String(files), name, file);
    // Workers of nginx would be of a user who cannot write to the directory.
    const user = process.getuid?.() === 0 ? 'daemon off; user root;' : 'daemon off;';
    writeFileSync(path, place(readFileSync(path, 'utf8')).replace('daemon off;', user));
  }
  const [shell = '', flags = '', script = ''] = services[name]?.command ?? [];
  const placed = script
    .replaceAll('wirebin:8080', `127.0.0.1:${origin}`)
    .replaceAll('/certs/', `${certs}/`)
    .replaceAll('/recipes/', `${files}/`);
  // Debian keeps proxies where users' paths do not lead.
  const command = [shell, flags, `PATH=$PATH:/usr/sbin; ${placed}`] as const;
  const proxy = await startServer(command, [...ports.values()], directory.path);
  onTestFinished(() => proxy.close());
  return (port: number): number => ports.get(port) ?? 0;
}

describe.each([
  ['nginx', 0],
  ['haproxy', 1000],
] as const)('the container %s', (name, offset) => {
  const recipe: Recipe = recipes[name];

  test('publishes its ports on this machine only', () => {
    const published = recipe.fronts.map(({ port }) => `127.0.0.1:${port + offset}:${port}`);
    expect(services[name]?.ports).toEqual(published);
  });

  test.skipIf(pathOf(name) === undefined)(
    `is in front of wirebin (needs ${howToInstall(name)})`,
    async () => {
      const portOf = await startContainer(name, recipe);
      for (const { port, secure, origin, proxyProtocol } of recipe.fronts) {
        await untilServed(portOf(port), secure);
        const { pieces } = await receive(portOf(port), '/anything', { secure });
        const { conn } = JSON.parse(Buffer.concat(pieces).toString());
        expect([conn.protocol, conn.proxy_protocol?.version]).toEqual([origin, proxyProtocol]);
      }
    },
  );
});
