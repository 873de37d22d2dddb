import { randomBytes } from 'node:crypto';
import type { Block } from './chain.ts';
import type { CollectionSubject } from './delivery-shapes.ts';
import { collectionAddressOf } from './ids.ts';
import { timesOf, updated } from './mint.ts';
import type { Reply, SeenRequest } from './web.ts';
import { authenticate, extended, Refused, type World, written } from './world.ts';

/** POST /commerce/collection: sends a transaction, whose outcome is delivered later. */
export function createCollection(world: World, request: SeenRequest): Reply {
  const { address: issuer } = authenticate(world, request);
  const { name, symbol, salt: given } = request.body?.payload ?? {};
  const faults = Object.entries({ name, symbol }).flatMap(([field, value]) =>
    typeof value === 'string' && value !== '' ? [] : [`payload.${field} should not be empty`],
  );
  if (given !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(given))
    faults.push('payload.salt must be a 32 byte hex');
  if (faults.length > 0) throw new Refused(400, faults);
  const salt: string = given ?? `0x${randomBytes(32).toString('hex')}`;
  const { variants, chain, deliveries } = world;
  const address = collectionAddressOf(world.factory, salt);
  const collectionAddress = written(variants, address);
  const subject: CollectionSubject = { about: 'COLLECTION', name, symbol, salt, collectionAddress };
  const status = variants.collectionStatus;
  if (status !== 'failed')
    chain.send({
      key: salt,
      apply: (block) => deploy(world, issuer, subject, address, block),
      decided: (outcome, reason) =>
        outcome === 'MINED'
          ? deliveries.enqueue('collectionCreated', issuer, subject)
          : deliveries.enqueue('collectionFailed', issuer, subject, reason),
    });
  return {
    status: 201,
    body: extended(variants, { result: { name, symbol, collectionAddress, status } }),
  };
}

function deploy(
  { chain }: World,
  issuer: string,
  { name, symbol, salt }: CollectionSubject,
  id: string,
  block: Block,
): void {
  // A salt can be used only once, by any issuer.
  if (chain.ledger.get('Collection', id, block.number)) throw new Error('the salt was used before');
  const owner = issuer.toLowerCase();
  const times = timesOf(block);
  const row = {
    id,
    name,
    symbol,
    salt,
    ownerAddress: owner,
    creatorAddress: owner,
    ...times,
    ...updated(times),
  };
  chain.ledger.put('Collection', row, block.number);
}
