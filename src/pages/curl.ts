/** Quotes text for a POSIX shell, where necessary. */
export function quoted(text: string): string {
  if (/^[\w%+,./:=@-]+$/.test(text)) return text;
  // In a terminal that a line is pasted into, control characters are keys: Ctrl-C would leave the quotes.
  if (/[^\P{Cc}\n]/u.test(text)) {
    return `$'${text.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll(/\p{Cc}/gu, escapeForShell)}'`;
  }
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Octal, since hexadecimal digits may follow, and shells differ in how many they read. */
function escapeForShell(control: string): string {
  const bytes = [...new TextEncoder().encode(control)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Returns `-k` for a URL of this machine: wirebin may have made its certificate, and nothing is on the way to it. */
export function trustFlags(url: string): string[] {
  const isLocal = /^https:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?(?:\/|$)/.test(url);
  return isLocal ? ['-k'] : [];
}

/**
 * A curl command for a URL, on the HTTP version of a browser.
 *
 * @param url absolute
 */
export function curlCommand(url: string, isHttp2: boolean): string {
  const flags = url.startsWith('https:')
    ? [...trustFlags(url), isHttp2 ? '--http2' : '--http1.1']
    : isHttp2
      ? ['--http2-prior-knowledge']
      : [];
  return ['curl', ...flags, quoted(url)].join(' ');
}
