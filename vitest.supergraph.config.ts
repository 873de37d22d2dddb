import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/supergraph/**/*.test.ts'],
    globalSetup: 'test/_util/global-setup.ts',
    // A shared machine may stop for seconds; a test that fails twice in a row fails.
    retry: process.env.CI ? 1 : 0,
    // The gateway, its sandbox and a router start in one test, on a machine that may have two busy cores.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Node runs the sources itself, as in production, and nothing here mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
});
