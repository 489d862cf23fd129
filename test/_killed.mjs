// Loaded by processes whose coverage is counted: what is killed writes none. See test/_process.ts.
import { takeCoverage } from 'node:v8';

process.on('SIGALRM', () => {
  takeCoverage();
  process.kill(process.pid, 'SIGKILL');
});
