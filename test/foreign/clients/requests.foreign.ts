import { fileURLToPath } from 'node:url';
import { python } from '../_python.ts';
import { runScript } from './_script.ts';

const RUN = fileURLToPath(new URL('../python/run.py', import.meta.url));
const TESTS = fileURLToPath(new URL('requests_tests.py', import.meta.url));

runScript({
  name: 'Python requests',
  transports: ['http/1.1', 'https/1.1'],
  async prepare() {
    const packages = ['requests==2.34.2', 'brotli==1.2.1'];
    const environment = await python('requests', ({ pip }) => pip('install', ...packages));
    if (typeof environment === 'string') return environment;
    return { program: environment.program, arguments: [RUN, TESTS] };
  },
});
