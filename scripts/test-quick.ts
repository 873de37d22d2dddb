import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rooms, testsOf } from '../test/rooms.ts';

// `npm run test:quick [room …]`: the tests that a change of these rooms needs, or a first look at every room.

const asked = process.argv.slice(2);
const names = Object.keys(rooms);
const unknown = asked.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  const isHelp = unknown.includes('--help') || unknown.includes('-h');
  if (isHelp) console.log('npm run test:quick [-- room …]\n');
  else console.error(`There is no room ${unknown.join(', ')}.`);
  console.log(`The rooms are ${names.join(', ')}.`);
  process.exit(isHelp ? 0 : 1);
}
const chosen = asked.map(testsOf);
const files =
  asked.length > 0
    ? chosen.flatMap(({ quick }) => quick)
    : names.flatMap((name) => testsOf(name).quick.slice(0, 1));
const leftOut = chosen.flatMap(({ wider }) => wider);

const project = join(import.meta.dirname, '..');
const { status } = spawnSync('vitest', ['run', ...files.map((file) => join(project, file))], {
  cwd: project,
  stdio: 'inherit',
});
if (asked.length === 0)
  console.log('That was one file of tests for each room. Name rooms for more: npm run test:quick -- graphql');
if (leftOut.length > 0)
  console.log(`Left out, because they take longer: npx vitest run ${leftOut.join(' ')}`);
process.exitCode = status ?? 1;
