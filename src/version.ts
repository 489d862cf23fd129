import { readFileSync } from 'node:fs';

/** Version of the API description in `/openapi.json`. */
export const API_VERSION = '1.6.0';

/** Version of the package. package.json is one level above both `src` and `dist`. */
export const VERSION = readVersion(new URL('../package.json', import.meta.url));

function readVersion(file: URL): string {
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}
