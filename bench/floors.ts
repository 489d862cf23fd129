import type { Protocol } from './scenarios.ts';

/** How wirebin has to stand beside bare Node, or a peer: so many times as good. */
export interface Floor {
  readonly path: string;
  readonly peer?: 'go-httpbin';
  readonly protocols: readonly Protocol[];
  /** What it is to be. */
  readonly goal: number;
  /** Below this the gate is red: the goal, or what was reached where NOTES.md says why it is not. */
  readonly floor: number;
  /** Whether the short form, run with every change, measures it too. */
  readonly isShort: boolean;
  /** Whether it is measured with --lean, whose HTTP/2 is by wirebin's own frames. */
  readonly isLean?: true;
}

const GO = 'go-httpbin';
/** The HTTP/1.1 rows, which by our own codec are to be ahead of bare Node and of go-httpbin. */
const HTTP1: readonly Protocol[] = ['http/1.1'];
const HTTP2: readonly Protocol[] = ['h2c', 'h2'];
const LEAN_BESIDE_GO = {
  peer: GO,
  protocols: ['h2'],
  goal: 4,
  floor: 4,
  isShort: false,
  isLean: true,
} as const;

export const floors: readonly Floor[] = [
  { path: '/healthz', protocols: HTTP1, goal: 1.2, floor: 1.2, isShort: false },
  { path: '/healthz', peer: GO, protocols: HTTP1, goal: 1, floor: 1, isShort: false },
  { path: '/healthz', protocols: ['h2c'], goal: 0.95, floor: 0.7, isShort: false },
  // The baseline makes the same object by JSON.stringify.
  { path: '/anything', protocols: HTTP1, goal: 1.2, floor: 1.2, isShort: false },
  { path: '/anything', protocols: HTTP2, goal: 1, floor: 1, isShort: false },
  { path: '/anything', peer: GO, protocols: HTTP1, goal: 1, floor: 1, isShort: false },
  { path: '/anything', peer: GO, protocols: ['h2'], goal: 1.6, floor: 1.3, isShort: false },
  { path: '/bytes/1024', protocols: HTTP1, goal: 1.2, floor: 1.2, isShort: true },
  { path: '/bytes/1024', peer: GO, protocols: HTTP1, goal: 1, floor: 1, isShort: false },
  { path: '/bytes/1024', protocols: ['h2c'], goal: 0.9, floor: 0.75, isShort: true },
  { path: '/bytes/102400', protocols: HTTP1, goal: 1, floor: 1, isShort: true },
  { path: '/bytes/102400', peer: GO, protocols: HTTP1, goal: 1, floor: 1, isShort: false },
  { path: '/bytes/102400', protocols: ['https/1.1'], goal: 0.95, floor: 0.9, isShort: false },
  { path: '/range/1048576', protocols: ['http/1.1', 'h2c'], goal: 1, floor: 0.85, isShort: true },
  { path: '/range/1048576', protocols: ['https/1.1'], goal: 1, floor: 0.85, isShort: true },
  { path: '/range/1048576', peer: GO, protocols: HTTP1, goal: 1, floor: 1, isShort: false },
  { path: 'handshakes', protocols: ['h2'], goal: 0.95, floor: 0.7, isShort: false },
  { path: '/healthz', protocols: HTTP2, goal: 4, floor: 3, isShort: true, isLean: true },
  { path: '/healthz', ...LEAN_BESIDE_GO },
  { path: '/bytes/1024', protocols: HTTP2, goal: 4, floor: 3, isShort: false, isLean: true },
  { path: '/bytes/1024', ...LEAN_BESIDE_GO },
  { path: '/anything', protocols: HTTP2, goal: 4, floor: 3, isShort: false, isLean: true },
  { path: '/anything', ...LEAN_BESIDE_GO },
  { path: '/range/1048576', protocols: HTTP2, goal: 1, floor: 0.85, isShort: false, isLean: true },
];
