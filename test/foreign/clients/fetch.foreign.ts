import { fileURLToPath } from 'node:url';
import { runScript } from './_script.ts';

const script = fileURLToPath(new URL('fetch.mjs', import.meta.url));

runScript({
  name: `fetch of Node ${process.versions.node}`,
  transports: ['http/1.1', 'https/1.1'],
  prepare: () => Promise.resolve({ program: process.execPath, arguments: [script] }),
});
