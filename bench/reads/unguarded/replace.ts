import { registerHooks } from 'node:module';

// For `--import`: the gateway without limits and auth. No configuration takes them out, so that nobody runs
// without them by mistake; what they cost is told only by leaving them away.

const guards = [
  '/src/access/authenticate.ts',
  '/src/graphql/execution/limits/query-limits.ts',
  '/src/server/limits.ts',
];
const nothing = new URL('./no-guards.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return guards.some((path) => found.url.endsWith(path)) ? { ...found, url: nothing } : found;
  },
});
