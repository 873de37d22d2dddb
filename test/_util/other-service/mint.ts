import type { Block, ChainRecord, Transaction } from './chain.ts';
import type { RecordSubject } from './delivery-shapes.ts';
import { hashOfText, srrIdOf, zeroAddress } from './ids.ts';
import type { Publication } from './publication.ts';
import type { IssueEntry } from './request-checks.ts';
import { same, type World, written } from './world.ts';

export interface Accepted {
  entry: IssueEntry;
  requestId: string | undefined;
  issuer: string;
  tokenId: string;
  publication: Publication;
  acceptedAt: Date;
}

export const contractOf = (world: World, { collectionAddress }: IssueEntry): string =>
  (collectionAddress ?? world.registry).toLowerCase();

/** A record in the body of a 201. */
export function srrOf(world: World, { entry, tokenId, publication }: Accepted) {
  const { registryRecord } = world.variants;
  const { collectionAddress } = entry;
  const inCollection = collectionAddress ?? (registryRecord === 'REGISTRY' ? world.registry : undefined);
  const contract = inCollection === undefined ? null : written(world.variants, inCollection);
  return {
    tokenId,
    metadataCID: publication.metadataCID,
    metadataURL: `${world.cdn()}/ipfs/${publication.metadataCID}`,
    ...((contract !== null || registryRecord !== 'ABSENT') && { collectionContractAddress: contract }),
  };
}

export const subjectOf = (world: World, accepted: Accepted): RecordSubject => ({
  about: 'RECORD',
  externalId: accepted.entry.externalId,
  srr: srrOf(world, accepted),
  metadata: accepted.publication.document,
});

/** The transaction that mints a record, and transfers it to its recipient. */
export function mintTransaction(
  world: World,
  accepted: Accepted,
  decided: Transaction['decided'],
): Transaction {
  return { key: accepted.entry.externalId, apply: (block) => mint(world, accepted, block), decided };
}

function mint(world: World, accepted: Accepted, block: Block): void {
  const { chain, variants } = world;
  const { entry, issuer, tokenId, publication } = accepted;
  const { metadataCID, document } = publication;
  const contract = contractOf(world, entry);
  const id = variants.index.srrIds === 'KECCAK' ? srrIdOf(contract, tokenId) : tokenId;
  if (chain.ledger.get('SRR', id, block.number)) throw new Error('the token exists already');
  const owner = (entry.to ?? issuer).toLowerCase();
  if (same(owner, zeroAddress)) throw new Error('transfer to the zero address');
  const collection = entry.collectionAddress?.toLowerCase() ?? null;
  const rate = (document.contractTerms as { royaltyRate?: number } | undefined)?.royaltyRate;
  const times = timesOf(block);
  const hash = hashOfText(`mint ${entry.externalId} ${block.hash}`);
  chain.ledger.put(
    'SRR',
    {
      id,
      tokenId,
      collection,
      isPrimaryIssuer: entry.isPrimaryIssuer,
      artist: entry.artistAddress.toLowerCase(),
      artistAddress: entry.artistAddress.toLowerCase(),
      issuer: issuer.toLowerCase(),
      ownerAddress: owner,
      metadataDigest: metadataCID,
      transferCommitment: null,
      lockExternalTransfer: entry.lockExternalTransfer,
      royaltyReceiver: rate === undefined ? null : issuer.toLowerCase(),
      royaltyBasisPoints: rate === undefined ? null : Math.round(rate * 100),
      originChain: 'eip155:31337',
      originTxHash: hash,
      ...times,
      ...updated(times),
    },
    block.number,
  );
  const update = { id: hashOfText(`${hash}0${metadataCID}`), srr: id, metadataDigest: metadataCID, ...times };
  chain.ledger.put('SRRMetadataHistory', update, block.number);
  if (!same(owner, issuer)) {
    const transfer = {
      id: hashOfText(`${id}${times.createdAt}`),
      srr: id,
      timestamp: times.createdAt,
      from: issuer.toLowerCase(),
      to: owner,
      metadataDigest: '',
      metadataURI: '',
      customHistory: null,
      isIntermediary: false,
      sender: null,
      ...times,
    };
    chain.ledger.put('SRRProvenance', transfer, block.number);
  }
  const record: ChainRecord = {
    externalId: entry.externalId,
    requestId: accepted.requestId,
    issuer,
    tokenId,
    contract,
    collection,
    metadataCID,
    artist: entry.artistAddress,
    owner,
    acceptedAt: accepted.acceptedAt,
    minedAt: new Date(),
    block: block.number,
  };
  chain.records.push(record);
}

/** Block times are whole seconds; the subgraph has them in milliseconds, as text. */
export function timesOf({ timestamp }: Block) {
  const ms = timestamp * 1000;
  return { createdAt: String(ms), createdAtStr: new Date(ms).toUTCString() };
}

export const updated = ({ createdAt, createdAtStr }: ReturnType<typeof timesOf>) => ({
  updatedAt: createdAt,
  updatedAtStr: createdAtStr,
});
