/**
 * First version of each release line with the HTTP/2 security fixes known by July 2026, which were released on 29 July
 * 2026 (CVE-2026-56846, CVE-2026-56848). Other release lines before 27 never received them.
 */
const FIXED_IN: Readonly<Record<number, string>> = { 22: '22.23.2', 24: '24.18.1', 26: '26.5.1' };
/** First release line with the fixes from the start. */
const FIXED_LINE = 27;

/**
 * Whether a Node release has the known HTTP/2 security fixes.
 *
 * @param version `process.versions.node`
 */
export function hasHttp2Fixes(version: string): boolean {
  const major = parseInt(version, 10);
  if (major >= FIXED_LINE) return true;
  const fixedIn = http2FixedIn(major);
  return fixedIn !== undefined && orderOf(version) >= orderOf(fixedIn);
}

/** A number that is greater for a later version. localeCompare() would take 10 ms to load ICU's collation. */
function orderOf(version: string): number {
  return version.split('.').reduce((order, part) => order * 1000 + parseInt(part, 10), 0);
}

/** First version of a release line with the HTTP/2 security fixes; undefined if no or every version has them. */
export function http2FixedIn(major: number): string | undefined {
  return FIXED_IN[major];
}
