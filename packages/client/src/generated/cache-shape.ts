// Made from schema/gateway.graphql by `npm run codegen`.

/** Types without an id: caches store them within their parent. */
export const embedded = [
  "CancelIssuancePayload",
  "CollectionConnection",
  "CollectionEdge",
  "CreateCollectionPayload",
  "CreateUploadsPayload",
  "CreateWebhookEndpointPayload",
  "CustomHistoryConnection",
  "CustomHistoryEdge",
  "DeleteWebhookEndpointPayload",
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
  "LicensedUserConnection",
  "LicensedUserEdge",
  "LocalizedText",
  "Media",
  "MetadataDocument",
  "MetadataHistoryConnection",
  "MetadataHistoryEdge",
  "PageInfo",
  "ProvenanceConnection",
  "ProvenanceEdge",
  "RedeliverPayload",
  "Royalty",
  "SRRConnection",
  "SRRContractTerms",
  "SRREdge",
  "SRREdition",
  "SRRSize",
  "SendTestDeliveryPayload",
  "UpdateWebhookEndpointPayload",
  "UploadConnection",
  "UploadEdge",
  "UploadFilePayload",
  "UserError",
  "ValidationReport",
  "WebhookAttempt",
  "WebhookDeliveryConnection",
  "WebhookDeliveryEdge",
  "WebhookEndpointConnection",
  "WebhookEndpointEdge",
  "_Service"
] as const;

/** The possible types of each interface and union. */
export const possibleTypes: Record<string, string[]> = {
  Event: [
    "CollectionCreated",
    "CollectionFailed",
    "IssuanceRejected",
    "SRRFailed",
    "SRRIssued",
    "TransferCompleted",
    "TransferReserved",
    "UnrecognizedEvent",
    "WebhookEndpointDisabled"
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
    "SRRMetadata",
    "Upload",
    "WebhookEndpoint"
  ],
  _Entity: [
    "Collection",
    "LicensedUser",
    "SRR"
  ]
};

/** The list fields of each type, with the arguments by which caches tell lists apart. */
export const lists: Record<string, Record<string, string[]>> = {
  Query: {
    collections: [
      "orderBy",
      "where"
    ],
    events: [
      "where"
    ],
    issuances: [
      "where"
    ],
    licensedUsers: [
      "orderBy",
      "where"
    ],
    myUploads: [],
    srrs: [
      "orderBy",
      "where"
    ],
    webhookEndpoints: []
  },
  Collection: {
    srrs: [
      "orderBy",
      "where"
    ]
  },
  CustomHistory: {
    srrs: []
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
    ],
    works: [
      "orderBy"
    ]
  },
  SRR: {
    customHistories: [],
    metadataHistory: [],
    provenance: []
  },
  WebhookEndpoint: {
    deliveries: [
      "status"
    ]
  }
};
