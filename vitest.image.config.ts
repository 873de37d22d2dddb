import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/image/**/*.test.ts'],
    globalSetup: 'test/_util/global-setup.ts',
    // A shared machine may stop for seconds; a test that fails twice in a row fails.
    retry: process.env.CI ? 1 : 0,
    // A gateway starts twice and an issuance ends, on a machine that may have two busy cores.
    testTimeout: 120_000,
    // `npm ci` over a slow registry, a database server and a sandbox.
    hookTimeout: 360_000,
  },
});
