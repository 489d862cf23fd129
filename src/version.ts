import { readFileSync } from 'node:fs';

/** The version of the service's description, which `/openapi.json` carries. */
export const API_VERSION = '1.6.0';

/** The package's own version; package.json stands one level above `src` and `dist` alike. */
export const VERSION = readVersion(new URL('../package.json', import.meta.url));

function readVersion(file: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}
