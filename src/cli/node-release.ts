import { hasHttp2Fixes, http2FixedIn } from '../net/http2-fixes.ts';

/** End-of-life date by major version, from the nodejs/Release schedule. */
const END_OF_LIFE: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
  27: '2030-04-30',
};

/**
 * Warnings if this Node release should not serve a public network.
 *
 * @param version `process.versions.node`
 * @param now milliseconds since the epoch
 * @returns none for a supported release, or for one that is newer than this table
 */
export function nodeReleaseWarnings(version: string, now: number): string[] {
  const major = parseInt(version, 10);
  const endOfLife = END_OF_LIFE[major];
  if (endOfLife === undefined) return [];
  const warnings: string[] = [];
  if (now >= Date.parse(endOfLife)) {
    warnings.push(`Node ${major} reached its end of life on ${endOfLife} and gets no more fixes`);
  }
  if (hasHttp2Fixes(version)) return warnings;
  const fixedIn = http2FixedIn(major);
  warnings.push(
    fixedIn === undefined
      ? `Node ${major} lacks known HTTP/2 security fixes; no ${major}.x release has them`
      : `Node ${version} lacks known HTTP/2 security fixes; upgrade to ${fixedIn} or later`,
  );
  return warnings;
}
