import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { python, type Python } from '../_python.ts';
import { outputOf } from '../_suite.ts';
import { here, program, type Ready } from './_program.ts';
import { nodeVersion, NPM_BEFORE, type npmVersions } from './_versions.ts';

/** What is missing, in words for a person, or a program of the client. */
export type Prepared = Promise<string | Ready>;

function folder(name: string): string {
  return fileURLToPath(
    new URL(`../../../node_modules/.cache/foreign/clients/${name}`, import.meta.url),
  );
}

/** Installs a package of npm. @returns its folder, or what is missing */
async function npm(name: string, version: string): Promise<{ modules: string } | string> {
  const prefix = folder(`${name}-${version}`);
  const modules = `${prefix}/node_modules`;
  if (existsSync(`${modules}/${name}`)) return { modules };
  const dated = `--before=${NPM_BEFORE}`;
  const options = ['--silent', '--no-save', '--ignore-scripts', dated, '--prefix', prefix];
  try {
    await outputOf({
      program: 'npm',
      arguments: ['install', ...options, `${name}@${version}`],
    });
    return { modules };
  } catch (error) {
    return `it needs npm and a package registry (${String(error)})`;
  }
}

/** A program for a release of Node. @param environment more than what all of them have */
export async function nodeProgram(
  name: string,
  script: string,
  release: string,
  environment: Readonly<Record<string, string>> = {},
): Prepared {
  const binaries = `node-${process.platform}-${process.arch}`;
  const installed = await npm(binaries, release);
  if (typeof installed === 'string') return installed;
  return program(name, {
    program: `${installed.modules}/${binaries}/bin/node`,
    arguments: [here(script)],
    environment: { NODE_NO_WARNINGS: '1', ...environment },
  });
}

/** A program that uses a package of npm, on the current release of Node. */
export async function npmProgram(
  name: keyof typeof npmVersions,
  script: string,
  version: string,
): Prepared {
  const installed = await npm(name, version);
  if (typeof installed === 'string') return installed;
  return nodeProgram(`${name} ${version}`, script, nodeVersion.current, {
    FOREIGN_MODULES: `${installed.modules}/`,
  });
}

/** An interpreter that has packages of PyPI. @returns what is missing, in words for a person, or the environment */
function pythonWith(packages: readonly string[]): Promise<string | Python> {
  const place = packages.join('+').replaceAll(/[^\w.+=-]/g, '-');
  return python(`clients/${place}`, ({ pip }) => pip('install', ...packages));
}

/** A program that uses packages of PyPI. @param packages the client, and what decides its outcomes, too */
export async function pythonProgram(
  version: string,
  script: string,
  packages: readonly string[],
): Prepared {
  const environment = await pythonWith(packages);
  if (typeof environment === 'string') return environment;
  return program(version, { program: environment.program, arguments: [here(script)] });
}

/** libcurl, as a version of pycurl has it. */
export async function libcurlProgram(pycurl: string): Prepared {
  const packages = [`pycurl==${pycurl}`];
  const environment = await pythonWith(packages);
  if (typeof environment === 'string') return environment;
  const print = ['-c', 'import pycurl; print(pycurl.version_info()[1])'];
  const version = await outputOf({ program: environment.program, arguments: print });
  return pythonProgram(`libcurl ${version.trim()}`, 'curl_client.py', packages);
}
