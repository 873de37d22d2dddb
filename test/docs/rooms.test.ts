import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import configuration from '../../vitest.config.ts';
import { project } from '../_util/gateway-process.ts';
import { foldersOf, rooms, testsOf } from '../rooms.ts';

it('every test file belongs to exactly one room, and every file that a room names exists', () => {
  const { include = [], exclude = [] } = configuration.test ?? {};
  const all = include.flatMap((pattern) => globSync(pattern, { cwd: project, exclude }));
  const ofRooms = Object.keys(rooms).flatMap((name) => Object.values(testsOf(name)).flat());
  expect(all.length).toBeGreaterThan(150);
  expect(ofRooms.sort()).toEqual(all.sort());
});

it('every folder of src belongs to exactly one room', () => {
  const ofSource = Object.keys(rooms)
    .flatMap(foldersOf)
    .filter((folder) => folder.startsWith('src/'));
  expect(ofSource.filter((folder) => existsSync(join(project, folder))).sort()).toEqual(
    globSync('src/*/', { cwd: project }).sort(),
  );
});

it('the first test of each room is one of its quick ones', () => {
  for (const [name, { first }] of Object.entries(rooms)) {
    const { quick, wider } = testsOf(name);
    expect(quick.length, name).toBeGreaterThan(0);
    expect(wider, name).not.toContain(`${first}.test.ts`);
  }
});
