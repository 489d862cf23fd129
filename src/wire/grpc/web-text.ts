/** Decodes base64 in pieces of any size. Padding may occur between pieces of the sender (gRPC-Web). */
export class Base64Reader {
  #rest = '';

  /** @returns the bytes of all groups that are complete */
  push(piece: Buffer): Buffer {
    const text = this.#rest + piece.toString('latin1').replace(/[\r\n]/g, '');
    const whole = text.length - (text.length % 4);
    this.#rest = text.slice(whole);
    // Buffer stops at padding.
    const groups = text.slice(0, whole).match(/[^=]+={0,2}/g) ?? [];
    return Buffer.concat(groups.map((group) => Buffer.from(group, 'base64')));
  }

  /** Whether the text has ended after a complete group. */
  get isComplete(): boolean {
    return this.#rest === '';
  }
}
