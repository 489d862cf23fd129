import { defineConfig } from 'vitest/config';

const DAY = 24 * 60 * 60 * 1000;

const FRAMES = 'test/fuzz/frames.fuzz.ts';
const isOfFrames = Number(process.env['WIREBIN_FUZZ_MINUTES'] ?? 0) > 0;

// Run by test/fuzz/run.mjs, which says how many inputs and with which seed.
export default defineConfig({
  test: {
    include: isOfFrames ? [FRAMES] : ['test/fuzz/*.fuzz.ts'],
    exclude: isOfFrames ? [] : [FRAMES],
    globalSetup: 'test/_compiled.ts',
    testTimeout: DAY,
    hookTimeout: DAY,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
