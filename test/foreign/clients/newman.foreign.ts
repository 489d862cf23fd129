import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clone } from '../_repository.ts';
import { outputOf } from '../_suite.ts';
import { runScript } from './_script.ts';

const script = fileURLToPath(new URL('newman.mjs', import.meta.url));
const CACHE = fileURLToPath(
  new URL('../../../node_modules/.cache/foreign/newman', import.meta.url),
);

/** Has Postman's collection, with the tests of each request. */
const REPOSITORY = 'https://github.com/codenirvana/postman-echo-nock';
const COMMIT = '943a35c';
const COLLECTION = 'test/fixtures/echo-sample.postman_collection.json';

runScript({
  name: 'Newman 6.2.2',
  transports: ['http/1.1', 'https/1.1'],
  settings: ['--dialect=postman-echo'],
  async prepare() {
    const modules = `${CACHE}/node_modules`;
    const source = `${CACHE}/source`;
    const options = ['--silent', '--no-save', '--ignore-scripts', '--prefix', CACHE];
    try {
      if (!existsSync(`${modules}/newman`)) {
        await outputOf({ program: 'npm', arguments: ['install', ...options, 'newman@6.2.2'] });
      }
      await clone(REPOSITORY, COMMIT, COLLECTION, source);
    } catch (error) {
      return `it needs npm, a package registry, git and ${REPOSITORY} (${String(error)})`;
    }
    return {
      program: process.execPath,
      arguments: [script],
      environment: { FOREIGN_MODULES: modules, FOREIGN_COLLECTION: `${source}/${COLLECTION}` },
    };
  },
});
