import { defineConfig } from 'vitest/config';

/** Ten minutes: 100,000 blocks and their decoding by another program. */
const TIMEOUT = 600_000;

export default defineConfig({
  test: {
    include: ['test/wire/http2/*.hpack.ts'],
    testTimeout: TIMEOUT,
    reporters: ['verbose'],
  },
});
