// Made from schema/gateway.graphql by `npm run codegen`.

/** Types without an id: part of the object that has them. */
export const embedded = [
  "CancelIssuancePayload",
  "CollectionConnection",
  "CollectionEdge",
  "CreateCollectionPayload",
  "CreateUploadsPayload",
  "CustomHistoryConnection",
  "CustomHistoryEdge",
  "EventConnection",
  "EventEdge",
  "HashedFile",
  "IssuanceConnection",
  "IssuanceEdge",
  "IssuanceEntryConnection",
  "IssuanceEntryEdge",
  "IssuanceFile",
  "IssuanceFileConnection",
  "IssuanceFileEdge",
  "IssuanceHistoryEntry",
  "IssuanceProgress",
  "IssueSRRsPayload",
  "LocalizedText",
  "Media",
  "MetadataDocument",
  "MetadataHistory",
  "MetadataHistoryConnection",
  "MetadataHistoryEdge",
  "PageInfo",
  "Provenance",
  "ProvenanceConnection",
  "ProvenanceEdge",
  "Royalty",
  "SRRConnection",
  "SRRContractTerms",
  "SRREdge",
  "SRREdition",
  "SRRMetadata",
  "SRRSize",
  "Source",
  "UploadFilePayload",
  "UserError",
  "ValidationReport",
  "Viewer"
] as const;

/** What each interface and union can be. */
export const possibleTypes: Record<string, string[]> = {
  Event: [
    "CollectionCreated",
    "CollectionFailed",
    "SRRFailed",
    "SRRIssued",
    "TransferCompleted",
    "TransferReserved",
    "UnrecognizedEvent"
  ],
  MiningOutcome: [
    "CollectionCreated",
    "CollectionFailed",
    "SRRFailed",
    "SRRIssued"
  ],
  Node: [
    "Collection",
    "CollectionCreation",
    "CustomHistory",
    "Issuance",
    "IssuanceEntry",
    "LicensedUser",
    "SRR",
    "Upload"
  ]
};

/** The lists of each type, with the arguments that make another list of them. */
export const lists: Record<string, Record<string, string[]>> = {
  Query: {
    collections: [
      "where"
    ],
    events: [
      "where"
    ],
    issuances: [
      "where"
    ],
    srrs: [
      "orderBy",
      "where"
    ]
  },
  Collection: {
    srrs: [
      "orderBy",
      "where"
    ]
  },
  Issuance: {
    entries: [
      "status"
    ],
    files: [
      "status"
    ]
  },
  LicensedUser: {
    collections: [],
    issuedSRRs: [
      "orderBy"
    ],
    ownedSRRs: [
      "orderBy"
    ]
  },
  SRR: {
    customHistories: [],
    metadataHistory: [],
    provenance: []
  }
};
