import { setTimeout as sleep } from 'node:timers/promises';
import type { GatewayProcess } from '../gateway-process.ts';
import type { Fleet } from './fleet.ts';
import type { KillTime } from './kill-time.ts';

/** A completed kill. */
export interface Kill {
  at: Date;
  /** The name of the checkpoint, or a description of another moment. */
  where: string;
}

/** The time after which the kill takes place without a checkpoint, because all work has ended. */
const checkpointWithinMs = 6_000;

/** Kills the given replicas with SIGKILL at the moment, or the first one that reaches a checkpoint. */
export async function kill(fleet: Fleet, victims: GatewayProcess[], moment: KillTime): Promise<Kill> {
  const end = () => Promise.all(victims.map((victim) => victim.stop('SIGKILL')));
  if (moment.at === 'checkpoint') return killAtCheckpoint(fleet, end, moment.nth);
  if (moment.at === 'millisecond') {
    await sleep(moment.ms);
    await end();
    return { at: new Date(), where: 'at a millisecond' };
  }
  await end();
  for (const victim of victims) victim.launch();
  await sleep(moment.ms);
  await end();
  return { at: new Date(), where: 'at a millisecond of its start' };
}

async function killAtCheckpoint(fleet: Fleet, end: () => Promise<unknown>, nth: number): Promise<Kill> {
  const { order, replicas } = fleet;
  order.killAt(`#${nth}`);
  for (const giveUpAt = Date.now() + checkpointWithinMs; Date.now() < giveUpAt; await sleep(5)) {
    if (replicas.every((one) => one.running())) continue;
    fleet.expectNoExit();
    return { at: new Date(), where: order.killedAt() ?? 'unknown' };
  }
  order.withdraw();
  await end();
  return { at: new Date(), where: 'when little was left to do' };
}
