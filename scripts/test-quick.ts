import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { rooms, testsOf } from '../test/rooms.ts';

// `npm run test:quick [room …]`: the tests that a change of these rooms needs, or a first look at every room.

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !rooms[name]);
if (unknown.length > 0) {
  console.error(`There is no room ${unknown.join(', ')}. The rooms are ${Object.keys(rooms).join(', ')}.`);
  process.exit(1);
}
const chosen = asked.map((name) => testsOf(rooms[name]!));
const files = asked.length > 0 ? chosen.flatMap(({ quick }) => quick) : Object.values(rooms).flatMap(firstOf);
const leftOut = chosen.flatMap(({ wider }) => wider);

const project = join(import.meta.dirname, '..');
const paths = [...new Set(files)].map((file) => join(project, file));
const { status } = spawnSync('vitest', ['run', ...paths], { cwd: project, stdio: 'inherit' });
if (asked.length === 0)
  console.log('That was one file of tests for each room. Name rooms for more: npm run test:quick -- graphql');
if (leftOut.length > 0)
  console.log(`Left out, because they take longer: npx vitest run ${leftOut.join(' ')}`);
process.exitCode = status ?? 1;

function firstOf(room: (typeof rooms)[string]): string[] {
  return testsOf(room).quick.slice(0, 1);
}
