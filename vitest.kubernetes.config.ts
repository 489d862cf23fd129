import { defineConfig } from 'vitest/config';

// deploy/, read by Kustomize, Helm and the schemas of Kubernetes; it says which of them are missing.
export default defineConfig({
  test: {
    include: ['test/kubernetes/*.kubernetes.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['verbose'],
  },
});
