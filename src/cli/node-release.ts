interface ReleaseLine {
  /** End-of-life date in the nodejs/Release schedule. */
  readonly endOfLife: string;
  /** First version with every HTTP/2 security fix known by July 2026; absent if there is none. */
  readonly fixedIn?: string;
}

/** By major version. Fixes: security releases of 29 July 2026 (CVE-2026-56846, CVE-2026-56848). */
const RELEASE_LINES: Readonly<Record<number, ReleaseLine>> = {
  20: { endOfLife: '2026-04-30' },
  21: { endOfLife: '2024-06-01' },
  22: { endOfLife: '2027-04-30', fixedIn: '22.23.2' },
  23: { endOfLife: '2025-06-01' },
  24: { endOfLife: '2028-04-30', fixedIn: '24.18.1' },
  25: { endOfLife: '2026-06-01' },
  26: { endOfLife: '2029-04-30', fixedIn: '26.5.1' },
  27: { endOfLife: '2030-04-30', fixedIn: '27.0.0' },
};

/**
 * Warnings for the log if this Node release should not serve a public network.
 *
 * @param version `process.versions.node`
 * @param now milliseconds since the epoch
 * @returns no warnings for a supported release, or for one that is newer than this table
 */
export function nodeReleaseWarnings(version: string, now: number): string[] {
  const major = parseInt(version, 10);
  const line = RELEASE_LINES[major];
  if (!line) return [];
  const warnings: string[] = [];
  const { endOfLife, fixedIn } = line;
  if (now >= Date.parse(endOfLife)) {
    warnings.push(`Node ${major} reached its end of life on ${endOfLife} and gets no more fixes`);
  }
  if (!fixedIn) {
    warnings.push(
      `Node ${major} lacks known HTTP/2 security fixes; no ${major}.x release has them`,
    );
  } else if (version.localeCompare(fixedIn, 'en', { numeric: true }) < 0) {
    warnings.push(
      `Node ${version} lacks known HTTP/2 security fixes; upgrade to ${fixedIn} or later`,
    );
  }
  return warnings;
}
