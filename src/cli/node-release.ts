interface Line {
  /** The day its support ends, by the schedule of nodejs/Release. */
  readonly endOfLife: string;
  /** Its first version with every fix of HTTP/2 known by July 2026; a line without one got none. */
  readonly fixedIn?: string;
}

/** By major version. Fixes: the security releases of 29 July 2026 (CVE-2026-56846, CVE-2026-56848). */
const LINES: Readonly<Record<number, Line>> = {
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
 * What speaks against standing open to the world on this Node: nothing where it is looked after.
 *
 * @param version as `process.versions.node` has it
 * @param now milliseconds since the epoch
 * @returns sentences for the log; none for versions that came after this table
 */
export function weaknessesOf(version: string, now: number): string[] {
  const major = parseInt(version, 10);
  const line = LINES[major];
  if (!line) return [];
  const found: string[] = [];
  const { endOfLife, fixedIn } = line;
  if (now >= Date.parse(endOfLife)) {
    found.push(`Node ${major} is past its end of life, ${endOfLife}: it gets no fixes`);
  }
  if (!fixedIn) {
    found.push(`Node ${major} lacks known fixes of HTTP/2, which no version of it has`);
  } else if (version.localeCompare(fixedIn, 'en', { numeric: true }) < 0) {
    found.push(`Node ${version} lacks known fixes of HTTP/2, which ${fixedIn} has`);
  }
  return found;
}
