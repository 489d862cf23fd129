import { defineConfig } from 'vitest/config';

// The page at `/` in Chromium.
export default defineConfig({
  test: {
    include: ['test/page/*.page.ts'],
    globalSetup: 'test/_browser.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/_setup.ts'],
  },
});
