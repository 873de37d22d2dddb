#!/usr/bin/env node
// Plain JavaScript, so that an older Node says what is missing instead of failing at the first TypeScript file.
const { node } = process.versions;
if (Number(node.split('.')[0]) < 24) {
  process.stderr.write(`srr: needs Node 24 or later, and this is ${node}. In the repository: npx srr\n`);
  process.exitCode = 2;
} else await import('../src/main.ts');
