/**
 * A command for the shell that takes so many milliseconds: the tests run where the PATH has Node, but not `sleep`. Within
 * single quotes, too.
 */
export const sleepFor = (milliseconds: number): string =>
  `"${process.execPath}" -e "setTimeout(() => {}, ${milliseconds})"`;
