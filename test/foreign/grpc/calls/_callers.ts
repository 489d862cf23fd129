import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { python } from '../../_python.ts';
import { outputOf } from '../../_suite.ts';
import { callerProgram, type ReadyCaller } from './_program.ts';

/** What the clients of docs/measured/grpc.md are built of: the newest of each on 2026-11-30. */
const VERSIONS = {
  go: '1.27.4',
  grpcGo: '1.85.0',
  grpcio: '1.85.3',
  grpcJs: '1.14.7',
  connect: '2.3.0',
  protobufEs: '2.17.0',
  /** What runs the clients for Node. Node 20 may crash when grpc-js closes a connection. */
  node: '26.10.0',
} as const;

const CACHE = fileURLToPath(new URL('../../../../node_modules/.cache/foreign', import.meta.url));
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A client of gRPC. */
export interface Caller {
  readonly name: string;
  /** @returns what is missing, in words for a person, or how it is run */
  readonly prepare: () => Promise<string | ReadyCaller>;
}

async function grpcGo(): Promise<ReadyCaller> {
  const directory = `${CACHE}/grpc-go-${VERSIONS.grpcGo}`;
  mkdirSync(directory, { recursive: true });
  cpSync(here('go'), directory, { recursive: true });
  const module = `google.golang.org/grpc v${VERSIONS.grpcGo}`;
  writeFileSync(`${directory}/go.mod`, `module client\n\ngo ${VERSIONS.go}\n\nrequire ${module}\n`);
  await outputOf({
    program: 'go',
    arguments: ['-C', directory, 'build', '-mod=mod', '-o', 'client', '.'],
    environment: { GOTOOLCHAIN: `go${VERSIONS.go}` },
  });
  const command = { program: `${directory}/client`, arguments: [] };
  return callerProgram(`grpc-go ${VERSIONS.grpcGo}`, command);
}

/** A program with packages of npm, one of which is Node. */
async function nodeCaller(
  version: string,
  script: string,
  ...libraries: readonly string[]
): Promise<ReadyCaller> {
  const binaries = `node-${process.platform}-${process.arch}`;
  const packages = [...libraries, `${binaries}@${VERSIONS.node}`];
  const prefix = `${CACHE}/${script}-${packages.join('-').replaceAll('/', '+')}`;
  const modules = `${prefix}/node_modules/`;
  if (!existsSync(`${prefix}/complete`)) {
    mkdirSync(prefix, { recursive: true });
    const options = ['--silent', '--no-save', '--ignore-scripts', '--prefix', prefix];
    await outputOf({ program: 'npm', arguments: ['install', ...options, ...packages] });
    writeFileSync(`${prefix}/complete`, '');
  }
  return callerProgram(`${version}, Node ${VERSIONS.node}`, {
    program: `${modules}${binaries}/bin/node`,
    arguments: [here(script)],
    environment: { FOREIGN_MODULES: modules, NODE_NO_WARNINGS: '1' },
  });
}

async function grpcio(): Promise<ReadyCaller> {
  const requirement = `grpcio==${VERSIONS.grpcio}`;
  const environment = await python(requirement, ({ pip }) => pip('install', requirement));
  if (typeof environment === 'string') throw new Error(environment);
  const command = { program: environment.program, arguments: [here('grpcio_client.py')] };
  return callerProgram(`grpcio ${VERSIONS.grpcio}`, command, true);
}

const caller = (name: string, needs: string, prepare: () => Promise<ReadyCaller>): Caller => ({
  name,
  prepare: () => prepare().catch((error: unknown) => `it needs ${needs} (${String(error)})`),
});

export const callers: readonly Caller[] = [
  caller('grpc-go', 'Go and a module proxy', grpcGo),
  caller('grpc-js', 'npm and a package registry', () =>
    nodeCaller(
      `grpc-js ${VERSIONS.grpcJs}`,
      'grpc_js_client.mjs',
      `@grpc/grpc-js@${VERSIONS.grpcJs}`,
    ),
  ),
  caller('connect-es', 'npm and a package registry', () =>
    nodeCaller(
      `connect-node ${VERSIONS.connect}`,
      'connect_client.mjs',
      `@connectrpc/connect-node@${VERSIONS.connect}`,
      `@connectrpc/connect@${VERSIONS.connect}`,
      `@bufbuild/protobuf@${VERSIONS.protobufEs}`,
    ),
  ),
  caller('grpcio', 'Python 3 with venv and pip, and a package registry', grpcio),
];
