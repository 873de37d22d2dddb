import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { SandboxInfo } from '@srr-gateway/sandbox';
import { expect, vi } from 'vitest';
import { entry } from './entries.ts';
import type { TestGateway } from './gateway.ts';
import type { Data } from './graphql-caller.ts';

const folder = new URL('../client-queries/', import.meta.url);

/** The operations of clients, by the name of their file. */
export const clientDocuments: ReadonlyMap<string, string> = new Map(
  readdirSync(folder).map((file) => [
    basename(file, '.graphql'),
    readFileSync(new URL(file, folder), 'utf8'),
  ]),
);

/** The objects in the operations of clients: records of the sandbox's world, and one new issuance. */
export interface ClientWorld {
  info: SandboxInfo;
  issuer: string;
  picture: object;
  uploaded: { filename: string; category: string };
  requestId: string;
  externalIds: string[];
  /** The cursor of an event that is followed by another one. */
  firstEvent: string;
  issuance: string;
  /** The records in the registry, newest first. */
  records: Data[];
  cursor: string;
  moved: string;
  exhibited: string[];
  royal: Data;
  collection: Data;
}

export interface ClientQuery {
  by?: 'issuer';
  variables?: (world: ClientWorld) => Record<string, unknown>;
  /** Paths at which there must be data; see `valuesAt`. */
  shows: string[];
}

const nodes = (list: string, ...fields: string[]) => fields.map((field) => `${list}.edges.*.node.${field}`);

/** The operations by the names of their files. */
export const clientQueries: Record<string, ClientQuery> = {
  'artist-works': {
    variables: ({ records }) => ({ artist: records[1].artistAddress }),
    shows: ['artist.englishName', ...nodes('works', 'tokenId', 'artistAddress', 'issuer.englishName')],
  },
  'check-before-issuing': {
    by: 'issuer',
    variables: ({ info, picture }) => ({
      entries: [
        entry(info, randomUUID(), picture),
        entry(info, '', picture, { artistAddress: info.registryAddress }),
      ],
    }),
    shows: ['validateSRRs.valid', 'validateSRRs.userErrors.*.code', 'validateSRRs.userErrors.*.path.*'],
  },
  'collection-page': {
    variables: ({ collection }) => ({ address: collection.address, where: { lockExternalTransfer: false } }),
    shows: ['collection.name', ...nodes('collection.srrs', 'tokenId', 'owner')],
  },
  'collections-by-name': {
    variables: ({ collection }) => ({ part: collection.name.slice(1, 4).toUpperCase() }),
    shows: nodes('collections', 'address', 'name'),
  },
  'collections-overview': {
    shows: [
      ...nodes('collections', 'address', 'name', 'symbol', 'creatorAddress', 'owner.englishName'),
      'collections.edges.*.node.srrs.edges.*.node.collection.name',
    ],
  },
  'create-collection': {
    by: 'issuer',
    variables: () => ({ name: `Night pieces ${randomUUID()}`, symbol: 'NGT' }),
    shows: ['createCollection.collection.address', 'createCollection.collection.status'],
  },
  'follow-issuance': {
    by: 'issuer',
    variables: ({ issuance }) => ({ id: issuance }),
    shows: ['issuance.status', 'issuance.progress.issued'],
  },
  'gallery-grid': {
    variables: () => ({ languages: ['ja', 'en'] }),
    shows: [
      ...nodes('srrs', 'tokenId', 'metadataStatus', 'artist.englishName?', 'metadata.title.text?'),
      'srrs.edges.*.node.metadata.thumbnail.url?',
      'srrs.pageInfo.endCursor',
    ],
  },
  'gallery-previous-page': {
    variables: ({ cursor }) => ({ before: cursor }),
    shows: [...nodes('srrs', 'id', 'createdAt'), 'srrs.pageInfo.startCursor'],
  },
  'issuance-result': {
    by: 'issuer',
    variables: ({ requestId }) => ({ requestId }),
    shows: [
      'issuance.completedAt',
      ...nodes('issuance.entries', 'outcomeSource', 'srr.contractAddress', 'srr.metadata.image.url'),
      ...nodes('issuance.entries', 'srr.issuance.externalId'),
    ],
  },
  'issue-records': {
    by: 'issuer',
    variables: ({ info, picture }) => ({
      input: { batching: 'BATCHES_OF_250', entries: [entry(info, randomUUID(), picture)] },
    }),
    shows: ['issueSRRs.issuance.id', 'issueSRRs.issuance.progress.total'],
  },
  'issued-events': {
    by: 'issuer',
    variables: ({ externalIds }) => ({ externalIds }),
    shows: [
      ...nodes('events', 'id', 'raw', 'externalId', 'srr.owner', 'entry.status'),
      'events.edges.*.cursor',
    ],
  },
  'issuer-profile': {
    variables: ({ issuer }) => ({ address: issuer }),
    shows: [
      'licensedUser.englishName',
      'licensedUser.owners.*',
      ...nodes('licensedUser.issuedSRRs', 'tokenId', 'metadata.thumbnail.url?'),
      ...nodes('licensedUser.collections', 'name', 'symbol'),
    ],
  },
  'issuer-records-backwards': {
    variables: ({ issuer }) => ({ address: issuer }),
    shows: [...nodes('licensedUser.issuedSRRs', 'tokenId'), 'licensedUser.issuedSRRs.pageInfo.startCursor'],
  },
  'locked-or-collected': {
    variables: ({ collection }) => ({ collection: collection.address }),
    shows: nodes('srrs', 'tokenId', 'lockExternalTransfer', 'collection.address?'),
  },
  'many-kinds-by-id': {
    variables: ({ records, collection }) => ({ ids: [records[0].id, records[1].id, collection.id] }),
    shows: ['nodes.*.id', 'nodes.*.owner?', 'nodes.*.name?'],
  },
  'my-completed-issuances': {
    by: 'issuer',
    variables: ({ externalIds }) => ({ externalId: externalIds[0] }),
    shows: [...nodes('issuances', 'requestId', 'progress.issued'), 'issuances.pageInfo.endCursor'],
  },
  'oldest-records': {
    shows: [...nodes('srrs', 'tokenId', 'createdAt', 'originChain', 'originTxHash')],
  },
  pictures: {
    shows: nodes('srrs', 'metadata.image.uri?', 'metadata.image.url?', 'metadata.thumbnail.cid?'),
  },
  'raw-document': {
    variables: ({ records }) => ({ cid: records[0].metadataCID }),
    shows: ['metadata.raw', 'metadata.metadata.schema'],
  },
  'record-exhibitions': {
    variables: ({ exhibited }) => ({ ids: exhibited }),
    shows: ['name', 'type', 'metadataDigest'].map((field) => `nodes.*.customHistories.edges.*.node.${field}`),
  },
  'record-metadata-history': {
    shows: [
      'srrs.edges.*.node.metadataHistory.edges.*.node.metadataDigest',
      'srrs.edges.*.node.metadataHistory.edges.*.node.metadata.name?',
    ],
  },
  'record-page': {
    variables: ({ royal }) => ({
      tokenId: royal.tokenId,
      collection: royal.collection.address,
      languages: ['fr', 'en'],
    }),
    shows: [
      'indexedAtBlock',
      'owner',
      'issuer.englishName',
      'artist.englishName',
      'collection.symbol',
      'royalty.percent',
      'metadataUrl',
      'metadata.title.text',
      'metadata.title.all',
      'metadata.medium.text',
      'metadata.image.url',
    ].map((field) => `srr.${field}`),
  },
  'record-provenance': {
    variables: ({ moved }) => ({ id: moved }),
    shows: nodes('node.provenance', 'from', 'to', 'timestamp'),
  },
  'records-by-documents': {
    variables: ({ records }) => ({
      cids: records.slice(0, 3).flatMap(({ metadataCID }) => metadataCID ?? []),
    }),
    shows: nodes('srrs', 'metadataCID', 'metadataUrl'),
  },
  'records-by-token-ids': {
    variables: ({ records }) => ({ tokenIds: records.slice(0, 5).map(({ tokenId }) => tokenId) }),
    shows: nodes('srrs', 'tokenId', 'contractAddress', 'owner'),
  },
  'replay-outcomes': {
    by: 'issuer',
    variables: ({ externalIds, firstEvent }) => ({ externalIds, after: firstEvent }),
    shows: [
      'miningOutcomes.externalId',
      'miningOutcomes.srr.tokenId',
      'miningOutcomes.srr.metadata.title.text',
    ],
  },
  'search-by-filters': {
    variables: ({ issuer }) => ({
      orderBy: 'UPDATED_AT_DESC',
      where: {
        issuer,
        isPrimaryIssuer: true,
        createdAfter: '2020-01-01T00:00:00Z',
        createdBefore: '2100-01-01T00:00:00Z',
      },
    }),
    shows: nodes('srrs', 'isPrimaryIssuer', 'createdAt', 'issuer.address'),
  },
  'sign-uploads': {
    by: 'issuer',
    variables: () => ({ files: [{ filename: `${randomUUID()}.jpg`, category: 'ARTWORK', size: '3' }] }),
    shows: ['signedUrl', 'signedUrlExpiresAt', 'proxyUrl', 'contentType'].map(
      (field) => `createUploads.uploads.*.${field}`,
    ),
  },
  'status-page': { shows: ['sources.*.health', 'sources.*.checkedAt', 'sources.*.block?'] },
  'title-in-my-languages': {
    shows: nodes('srrs', 'metadata.title.text?', 'metadata.title.japanese?', 'metadata.title.unknown?'),
  },
  'upload-progress': {
    by: 'issuer',
    variables: ({ uploaded }) => ({ files: [uploaded] }),
    shows: ['status', 'size', 'hash', 'cid', 'finalUrl'].map((field) => `uploads.*.${field}`),
  },
  'wallet-holdings': {
    variables: ({ records }) => ({ owner: records[0].owner }),
    shows: [...nodes('srrs', 'owner', 'metadata.name?'), 'srrs.pageInfo.endCursor'],
  },
  'who-am-i': { by: 'issuer', shows: ['viewer.scopes.*', 'viewer.licensedUser.englishName'] },
};

/** Issues two records with the gateway, and finds the other objects that the operations select. */
export async function createClientWorld(gateway: TestGateway): Promise<ClientWorld> {
  const uploaded = { filename: `${randomUUID()}.png`, category: 'NON_ATTACHMENT_FILE' };
  const picture = { upload: await gateway.caller.upload(uploaded.filename, uploaded.category, 'png') };
  const requestId = randomUUID();
  const externalIds = [randomUUID(), randomUUID()];
  const { issueSRRs } = await gateway.caller.data(
    'mutation ($input: IssueSRRsInput!) { issueSRRs(input: $input) { issuance { id } userErrors { message } } }',
    {
      input: {
        requestId,
        entries: externalIds.map((externalId) => entry(gateway.info, externalId, picture)),
      },
    },
  );
  expect(issueSRRs.userErrors).toEqual([]);
  const { id: issuance } = issueSRRs.issuance;
  const outcome = async () =>
    await gateway.caller.data(
      `query ($id: ID!, $externalIds: [String!]!) {
          issuance(id: $id) { status entries { edges { node { srr { indexing } } } } }
          events(where: { externalIds: $externalIds, types: [SRR_ISSUED] }) { edges { cursor } }
        }`,
      { id: issuance, externalIds },
    );
  const settled = {
    issuance: {
      status: 'COMPLETED',
      entries: { edges: externalIds.map(() => ({ node: { srr: { indexing: 'INDEXED' } } })) },
    },
    events: { edges: [{}, {}] },
  };
  await vi.waitFor(async () => expect(await outcome()).toMatchObject(settled), { timeout: 30_000 });
  const { events } = await outcome();
  const { srrs, collected, royal, collections } = await gateway.anonymous.data(`{
    srrs(first: 30, where: { inRegistry: true }) {
      edges { cursor node { id tokenId metadataCID owner artistAddress customHistories { edges { node { id } } } } }
    }
    collected: srrs(first: 300, where: { inRegistry: false }) {
      edges { node { id tokenId contractAddress customHistories { edges { node { id } } } provenance { edges { node { from } } } } }
    }
    royal: srrs(first: 300) { edges { node { id tokenId collection { address } royalty { percent } } } }
    collections(first: 10) { edges { node { id address name srrs(first: 1) { edges { node { id } } } } } }
  }`);
  const nodes = (connection: Data) => connection.edges.map(({ node }: Data) => node);
  const holding = nodes(collections).find((one: Data) => one.srrs.edges.length > 0);
  return {
    info: gateway.info,
    issuer: gateway.issuer.address,
    picture,
    uploaded,
    requestId,
    externalIds,
    firstEvent: events.edges[0].cursor,
    issuance,
    records: nodes(srrs),
    cursor: srrs.edges[10].cursor,
    moved: nodes(collected).find((one: Data) => one.provenance.edges.length > 0).id,
    exhibited: [...nodes(srrs), ...nodes(collected)]
      .filter((one: Data) => one.customHistories.edges.length > 0)
      .map(({ id }: Data) => id),
    royal: nodes(royal).find((one: Data) => one.royalty && one.collection),
    collection: holding,
  };
}
