import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { outputOf } from '../_suite.ts';
import { runScript } from './_script.ts';

const script = fileURLToPath(new URL('got.mjs', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/foreign/got', import.meta.url));

runScript({
  name: 'got 14',
  transports: ['http/1.1', 'https/1.1', 'h2'],
  async prepare() {
    const modules = `${CACHE}/node_modules`;
    if (!existsSync(`${modules}/got`)) {
      const options = ['--silent', '--no-save', '--ignore-scripts', '--prefix', CACHE];
      const packages = ['got@14.6.5', 'tough-cookie@6.1.0'];
      try {
        await outputOf({ program: 'npm', arguments: ['install', ...options, ...packages] });
      } catch (error) {
        return `it needs npm and a package registry (${String(error)})`;
      }
    }
    return {
      program: process.execPath,
      arguments: [script],
      environment: { FOREIGN_MODULES: modules },
    };
  },
});
