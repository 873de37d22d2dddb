/** The example of a route in the description: a request, and the sandbox's answer. */
interface Example {
  parameters?: Record<string, unknown>;
  body?: object;
  /** As GraphQL answers. A field that is not here is null in the description. */
  answer: object;
}

/** The record of the examples, as a list and its own page show it. */
const record = {
  tokenId: '919867048774',
  contractAddress: '0x06a54E2446247C36971387c404f1af8b5Ed94136',
  indexing: 'INDEXED',
  owner: '0x2f7F932D30E46702EE02a4f5F4D8Ef045a368A70',
  artistAddress: '0x41186A58A1C78b6Aea4F265f97584B3B68D7B19F',
  artist: {
    address: '0x41186A58A1C78b6Aea4F265f97584B3B68D7B19F',
    englishName: 'Mio Asagiri',
    originalName: '朝霧 澪',
  },
  issuer: {
    address: '0x2f7F932D30E46702EE02a4f5F4D8Ef045a368A70',
    englishName: 'Lantern Hall Gallery',
    originalName: '灯火堂',
  },
  isPrimaryIssuer: true,
  metadataCID: 'bafkreid6icjgs57233d4c5563zsdgjvila3ots5sarrjqxhab2jd6fcrd4',
  metadataStatus: 'VERIFIED',
  createdAt: '2026-11-23T01:22:38.000Z',
  updatedAt: '2026-11-23T01:22:38.000Z',
};

const picture = {
  uri: 'ipfs://bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte',
  url: 'http://127.0.0.1:4100/ipfs/bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte',
  cid: 'bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte',
};

const metadata = {
  name: 'Glass Orchard',
  title: {
    text: 'Glass Orchard',
    language: 'en',
    all: {
      en: 'Glass Orchard',
      ja: '硝子の果樹園',
    },
  },
  image: picture,
};

/** Keyed by operation name. A test validates them against the schemas, and sends the requests. */
export const examples: Record<string, Example> = {
  ListRecords: {
    parameters: {
      first: 1,
      artist: '0x41186A58A1C78b6Aea4F265f97584B3B68D7B19F',
    },
    answer: {
      edges: [{ node: { ...record, metadata } }],
      pageInfo: {
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor:
          'WyJjcmVhdGVkQXQiLDIzOSwiMHgyNzBhYWQwOTQ2YzA3ZmZlNWZhMDhjZTAxNzU1NzhjMzIyMTYxMjYxZmFhYmRmOTkxMDg4YzA1NGNjNWZhNWRlIiwiMTc5NTM5Njk1ODAwMCIsIjB4ZjcyOGJjNDVmNDg1ZTkzZmFlNWZhMjNhMDJkMTFjZWQwNzBmODFkMmVmODhiZTljODBlNjQ5NzZlZTcwOGY3YyJd',
        endCursor:
          'WyJjcmVhdGVkQXQiLDIzOSwiMHgyNzBhYWQwOTQ2YzA3ZmZlNWZhMDhjZTAxNzU1NzhjMzIyMTYxMjYxZmFhYmRmOTkxMDg4YzA1NGNjNWZhNWRlIiwiMTc5NTM5Njk1ODAwMCIsIjB4ZjcyOGJjNDVmNDg1ZTkzZmFlNWZhMjNhMDJkMTFjZWQwNzBmODFkMmVmODhiZTljODBlNjQ5NzZlZTcwOGY3YyJd',
      },
    },
  },
  GetRecord: {
    parameters: {
      tokenId: '919867048774',
    },
    answer: {
      id: 'U1JSOnJlZ2lzdHJ5LzkxOTg2NzA0ODc3NA==',
      ...record,
      metadata: {
        ...metadata,
        schema: 'http://127.0.0.1:4100/api/v1/schema/registry-record-metadata.v2.2.schema.json',
        medium: {
          text: 'Digital drawing',
          language: 'en',
          all: {
            en: 'Digital drawing',
          },
        },
        yearOfCreation: {
          text: '2026',
          language: 'en',
          all: {
            en: '2026',
          },
        },
        thumbnail: picture,
      },
      indexedAtBlock: '239',
      lockExternalTransfer: false,
      originChain: 'eip155:31337',
      originTxHash: '0xac4ff65548cf737217cdf819509bc2ad27bd74060ba2bbdb8dba7c8440b85901',
      provenance: {
        edges: [],
        pageInfo: {
          hasNextPage: false,
        },
      },
      metadataUrl: 'http://127.0.0.1:4100/ipfs/bafkreid6icjgs57233d4c5563zsdgjvila3ots5sarrjqxhab2jd6fcrd4',
    },
  },
  IssueRecords: {
    body: {
      requestId: 'spring-2026',
      entries: [
        {
          externalId: 'glass-orchard',
          artistAddress: '0x41186A58A1C78b6Aea4F265f97584B3B68D7B19F',
          isPrimaryIssuer: true,
          lockExternalTransfer: false,
          metadata: {
            name: 'Glass Orchard',
            title: {
              en: 'Glass Orchard',
              ja: '硝子の果樹園',
            },
            medium: {
              en: 'Digital drawing',
            },
            yearOfCreation: {
              en: '2026',
            },
            thumbnail: {
              ipfs: 'ipfs://bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte',
            },
            image: {
              ipfs: 'ipfs://bafkreibh4jhrzebainfupwbww6s5w6mz6mx4uum6dcbbfshqzxthhybfte',
            },
          },
        },
      ],
    },
    answer: {
      id: 'SXNzdWFuY2U6OTNjNzMyMzktZDI0NS00NTcxLTk5ZTQtNTcxYWM2ODI1MDA4',
      requestId: 'spring-2026',
      issuer: '0x2f7F932D30E46702EE02a4f5F4D8Ef045a368A70',
      status: 'WAITING_FOR_FILES',
      progress: {
        total: 1,
        filesTotal: 0,
        filesReady: 0,
        accepted: 0,
        issued: 0,
        failed: 0,
      },
      createdAt: '2026-11-23T01:22:36.856Z',
      updatedAt: '2026-11-23T01:22:36.856Z',
    },
  },
  GetIssuance: {
    parameters: {
      requestId: 'spring-2026',
    },
    answer: {
      id: 'SXNzdWFuY2U6OTNjNzMyMzktZDI0NS00NTcxLTk5ZTQtNTcxYWM2ODI1MDA4',
      requestId: 'spring-2026',
      issuer: '0x2f7F932D30E46702EE02a4f5F4D8Ef045a368A70',
      status: 'COMPLETED',
      progress: {
        total: 1,
        filesTotal: 0,
        filesReady: 0,
        accepted: 1,
        issued: 1,
        failed: 0,
      },
      createdAt: '2026-11-23T01:22:36.856Z',
      updatedAt: '2026-11-23T01:22:38.174Z',
      completedAt: '2026-11-23T01:22:38.174Z',
      entries: {
        edges: [
          {
            node: {
              externalId: 'glass-orchard',
              status: 'ISSUED',
              outcomeSource: 'WEBHOOK',
              srr: {
                tokenId: '919867048774',
                contractAddress: '0x06a54E2446247C36971387c404f1af8b5Ed94136',
                metadataCID: 'bafkreid6icjgs57233d4c5563zsdgjvila3ots5sarrjqxhab2jd6fcrd4',
                indexing: 'INDEXED',
              },
            },
          },
        ],
        pageInfo: {
          hasNextPage: false,
          endCursor: 'WyJlbnRyeSIsMF0',
        },
      },
    },
  },
};
