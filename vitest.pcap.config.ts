import { defineConfig } from 'vitest/config';

// Wireshark reads what wirebin captured. It has to be installed.
export default defineConfig({
  test: {
    include: ['test/pcap/*.pcap.ts'],
    testTimeout: 60_000,
    setupFiles: ['test/_setup.ts'],
  },
});
