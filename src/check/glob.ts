/** Whether an id matches one of the globs, in which `*` stands for any characters. */
export function matchesAny(id: string, globs: readonly string[]): boolean {
  return globs.some((glob) => {
    const parts = glob
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
    return new RegExp(`^${parts.join('.*')}$`).test(id);
  });
}
