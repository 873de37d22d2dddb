import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import configuration from '../vitest.config.ts';
import { project } from './_util/gateway-process.ts';
import { rooms, testsOf } from './rooms.ts';

it('every test file belongs to exactly one room, and every file that a room names exists', () => {
  const { include = [], exclude = [] } = configuration.test ?? {};
  const all = include.flatMap((pattern) => globSync(pattern, { cwd: project, exclude }));
  const ofRooms = Object.values(rooms).flatMap((room) => {
    const { quick, wider } = testsOf(room);
    return [...quick, ...wider];
  });
  expect(all.length).toBeGreaterThan(150);
  expect(ofRooms.sort()).toEqual(all.sort());
});

it('every folder of src belongs to exactly one room', () => {
  const folders = Object.values(rooms).flatMap((room) => room.folders);
  const ofSource = folders.filter((folder) => folder.startsWith('src/'));
  expect(ofSource.sort()).toEqual(globSync('src/*/', { cwd: project }).sort());
});
