/** Quotes text for a POSIX shell, where necessary. */
export function quoted(text: string): string {
  return /^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A curl command for a URL, on the HTTP version of a browser.
 *
 * @param url absolute
 */
export function curlCommand(url: string, isHttp2: boolean): string {
  const flags = url.startsWith('https:')
    ? // The certificate may be one that wirebin made itself.
      ['-k', isHttp2 ? '--http2' : '--http1.1']
    : isHttp2
      ? ['--http2-prior-knowledge']
      : [];
  return ['curl', ...flags, quoted(url)].join(' ');
}
