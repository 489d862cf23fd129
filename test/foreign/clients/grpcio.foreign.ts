import { fileURLToPath } from 'node:url';
import { files } from '../../grpc/_client.ts';
import { outputOf } from '../_suite.ts';
import { python } from '../_python.ts';
import { runScript } from './_script.ts';

const RUN = fileURLToPath(new URL('../python/run.py', import.meta.url));
const TESTS = fileURLToPath(new URL('grpcio_tests.py', import.meta.url));
const PROTO = fileURLToPath(new URL('../../../proto', import.meta.url));
/** Those of packages of its own. */
const OTHERS = /^grpc\//;

runScript({
  name: 'Python grpcio',
  transports: ['h2c', 'h2'],
  async prepare() {
    const packages = ['grpcio', 'grpcio-tools', 'grpcio-health-checking', 'grpcio-reflection'];
    const environment = await python('grpcio', ({ pip }) =>
      pip('install', ...packages.map((name) => `${name}==1.85.1`)),
    );
    if (typeof environment === 'string') return environment;
    const { program, directory } = environment;
    const out = [`--python_out=${directory}`, `--grpc_python_out=${directory}`];
    const names = files.map(({ name }) => name).filter((name) => !OTHERS.test(name));
    await outputOf({
      program,
      arguments: ['-m', 'grpc_tools.protoc', '-I', PROTO, ...out, ...names],
    });
    return {
      program,
      arguments: [RUN, TESTS],
      environment: { FOREIGN_STUBS: directory },
    };
  },
});
