import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/browser/**/*.test.ts', 'packages/*/test/browser/**/*.test.ts'],
    // A shared machine may stop for seconds; a test that fails twice in a row fails.
    retry: process.env.CI ? 1 : 0,
    // The gateway, its sandbox and a browser start in one test, on a machine that may have two busy cores.
    testTimeout: 120_000,
    // Each file has a gateway and a browser of its own, and the gallery is built into one folder.
    fileParallelism: false,
    hookTimeout: 120_000,
    // What is waited for comes in milliseconds on an idle machine; a second is too little on a shared one.
    expect: { poll: { timeout: 10_000 } },
  },
});
