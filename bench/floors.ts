import type { Protocol } from './scenarios.ts';

/** How wirebin has to stand beside bare Node: at least `floor` times as good. */
export interface Floor {
  readonly path: string;
  readonly protocols: readonly Protocol[];
  readonly floor: number;
  /** Whether the short form, run with every change, measures it too. */
  readonly isShort: boolean;
}

export const floors: readonly Floor[] = [
  { path: '/healthz', protocols: ['http/1.1', 'h2c'], floor: 0.95, isShort: false },
  { path: '/anything', protocols: ['http/1.1', 'h2c'], floor: 0.75, isShort: false },
  { path: '/bytes/1024', protocols: ['http/1.1', 'h2c'], floor: 0.9, isShort: true },
  { path: '/bytes/102400', protocols: ['http/1.1'], floor: 0.95, isShort: true },
  { path: '/bytes/102400', protocols: ['https/1.1'], floor: 0.95, isShort: false },
  { path: '/range/1048576', protocols: ['http/1.1', 'https/1.1', 'h2c'], floor: 1, isShort: true },
  { path: 'handshakes', protocols: ['h2'], floor: 0.95, isShort: false },
];
