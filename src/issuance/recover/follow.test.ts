import { expect, it } from 'vitest';
import type { StepContext } from '../flow.ts';
import { pauseMs } from './follow.ts';

const now = Date.UTC(2030, 0, 1);
const ago = (seconds: number) => new Date(now - seconds * 1000);
const pause = (updated: number, hinted?: number) =>
  pauseMs({
    read_at: new Date(now),
    updated_at: ago(updated),
    ask_index_at: hinted === undefined ? null : ago(hinted),
  } as StepContext['issuance']) / 1000;

it('the subgraph is queried every 15 seconds for five minutes, and less often later without news', () => {
  expect([0, 120, 300, 3_600, 86_400, 86_400 * 365].map((quiet) => pause(quiet))).toEqual([
    15, 15, 15, 180, 3_600, 3_600,
  ]);
});

it('the subgraph is queried often again after a delivery that needs proof', () => {
  expect(pause(86_400, 10)).toBe(15);
  expect(pause(10, 86_400)).toBe(15);
});
