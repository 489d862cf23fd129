/** The lines of the header section of a message; undefined if the text contains more than one request. */
export function headOf(text: string): string[] | undefined {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return rest.some((part) => /(?:^|\n|\))[A-Z]+ \S+ HTTP\/1\.[01]\r\n/.test(part))
    ? undefined
    : head.split('\r\n');
}

/** The lines of the field block in a list of frames; undefined unless there is exactly one. */
export function headOfFrames(text: string): string[] | undefined {
  const blocks = text.match(/^HEADERS .*\n(?: {2}.*\n?)*/gm) ?? [];
  const [block, ...others] = blocks;
  if (block === undefined || others.length > 0) return undefined;
  return block
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}
