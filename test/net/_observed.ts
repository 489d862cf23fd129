import type { ByteObserver } from '../../src/net/inspector.ts';

/** Keeps what it observes, one character per byte; an end is `<end>`. */
export class Observed implements ByteObserver {
  fromClient = '';
  fromServer = '';

  received(bytes: Buffer): void {
    this.fromClient += bytes.toString('latin1');
  }

  receivedEnd(): void {
    this.fromClient += '<end>';
  }

  sent(bytes: Buffer): void {
    this.fromServer += bytes.toString('latin1');
  }

  sentEnd(): void {
    this.fromServer += '<end>';
  }
}
