import { defineConfig } from 'vitest/config';

// Tests through real proxies, which have to be installed.
export default defineConfig({
  test: {
    include: ['test/proxies/*.proxy.ts'],
    testTimeout: 30_000,
    setupFiles: ['test/_setup.ts'],
  },
});
