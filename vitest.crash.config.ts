import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/crash/**/*.crash.ts', 'test/crash/**/*.test.ts'],
    globalSetup: 'test/_util/global-setup.ts',
    // A kill, a start and the lease of the dead (10 s), times the kills of a round, on two busy cores.
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // One at a time: each has three processes and their chain at work.
    fileParallelism: false,
    // A round that fails is found by its seed, not hidden by another try.
    retry: 0,
  },
});
