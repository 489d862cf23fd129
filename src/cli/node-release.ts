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
 * A warning if this Node release should not serve a public network.
 *
 * @param version `process.versions.node`
 * @param now milliseconds since the epoch
 * @returns undefined for a supported release, or for one that is newer than this table
 */
export function nodeReleaseWarning(version: string, now: number): string | undefined {
  const major = parseInt(version, 10);
  const endOfLife = END_OF_LIFE[major];
  if (endOfLife === undefined) return undefined;
  const isPast = now >= Date.parse(endOfLife);
  const isFixed = hasHttp2Fixes(version);
  if (!isPast && isFixed) return undefined;
  const faults = [
    ...(isPast ? [`reached its end of life on ${endOfLife}`] : []),
    ...(isFixed ? [] : ['lacks fixes of known HTTP/2 vulnerabilities']),
  ];
  const fixedIn = http2FixedIn(major);
  const release =
    isPast || fixedIn === undefined ? 'a supported release of Node' : `${fixedIn} or later`;
  return `Node ${version} ${faults.join(' and ')}; upgrade to ${release}`;
}
