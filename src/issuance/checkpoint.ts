import { channel } from 'node:diagnostics_channel';

/**
 * The points before and after each upstream call and each write of the flow. Crash tests kill the process at each.
 */
export const checkpoints = [
  'stored',
  'leased',
  'files-asked',
  'files-recorded',
  'marked-as-sending',
  'answered',
  'answer-recorded',
  'refusal-recorded',
  'marked-as-unknown',
  'asked-again',
  'new-key-recorded',
  'subgraph-asked',
  'subgraph-recorded',
  'settling',
  'released',
] as const;

export type Checkpoint = (typeof checkpoints)[number];

/** The diagnostics channel of the checkpoints. */
export const checkpointChannel = channel('srr-gateway:issuance');

/** Publishes a checkpoint. Costs nothing without subscribers. */
export function checkpoint(name: Checkpoint, issuance: string): void {
  if (checkpointChannel.hasSubscribers) checkpointChannel.publish({ name, issuance });
}
