/** Number of bytes shown in hexadecimal. */
const MAX_HEX = 4096;
/** Number of characters shown as text. */
const MAX_TEXT = 32_768;
const LINE = 16;

export interface Preview {
  readonly kind: 'text' | 'hex';
  readonly text: string;
  /** Whether the content is longer than shown. */
  readonly isCut: boolean;
}

/**
 * Shows content as text, or as a hex dump if it is not UTF-8.
 *
 * @param isWhole false if the content is cut off, possibly within a character
 */
export function previewOf(bytes: Uint8Array, isWhole: boolean): Preview {
  const text = decodedText(bytes, isWhole);
  if (text === undefined) {
    const shown = bytes.subarray(0, MAX_HEX);
    return { kind: 'hex', text: hexDump(shown), isCut: !isWhole || shown.length < bytes.length };
  }
  const shown = text.slice(0, MAX_TEXT);
  return { kind: 'text', text: shown, isCut: !isWhole || shown.length < text.length };
}

function decodedText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    // oxlint-disable-next-line no-control-regex
    return /[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** A hex dump like that of `xxd`: offset, 16 bytes, and their ASCII characters in each line. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE) {
    const line = [...bytes.subarray(at, at + LINE)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const ascii = line.map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.',
    );
    lines.push(`${at.toString(16).padStart(8, '0')}  ${hex.padEnd(3 * LINE)} ${ascii.join('')}`);
  }
  return lines.join('\n');
}
