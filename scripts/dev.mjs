// Serves, and after every change of src/ compiles and serves anew: `npm run dev -- --port 8081`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';

let service;
async function serve() {
  // What does not compile leaves the service as it is.
  if (spawnSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' }).status !== 0) return;
  if (service?.exitCode === null && service.kill('SIGKILL')) await once(service, 'exit');
  const args = ['dist/main.js', ...process.argv.slice(2)];
  service = spawn(process.execPath, args, { stdio: 'inherit' });
}

process.once('exit', () => service?.kill());
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit());

let serving = serve();
let timer;
watch('src', { recursive: true }, () => {
  clearTimeout(timer);
  // Editors and git change several files at once.
  timer = setTimeout(() => (serving = serving.then(serve)), 100);
});
