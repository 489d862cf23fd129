// What is shipped: each runtime dependency with its licence; none may run a script when installed,
// and every package of the lock file must be pinned by a SHA-512.
import { readFileSync } from 'node:fs';

const allowed = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD']);
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const faults = [];
let shipped = 0;
for (const [path, entry] of Object.entries(packages)) {
  if (path === '') continue;
  if (!/^sha512-[\w+/]{86}==$/.test(entry.integrity)) faults.push(`${path} has no integrity hash`);
  if (entry.dev || entry.devOptional) continue;
  shipped++;
  const { license } = entry;
  console.log(`${path.replace(/^.*node_modules\//, '')} ${entry.version} ${license}`);
  if (!allowed.has(license)) faults.push(`${path} has the licence ${license}`);
  if (entry.hasInstallScript) faults.push(`${path} runs a script when installed`);
}
if (shipped === 0) faults.push('no runtime dependency was found: the lock file was not understood');
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
