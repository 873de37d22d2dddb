import { builder } from './builder.ts';

export const MetadataStatusEnum = builder.enumType('MetadataStatus', {
  description: 'Whether a metadata document is available, and if not, why.',
  values: {
    VERIFIED: {
      description:
        'The document is available, and its bytes match its CID, or the hash on chain for records from before 2023.',
    },
    UNVERIFIED: {
      description:
        'The document is available but cannot be verified: it is from before 2023, and how its hash was calculated is not known.',
    },
    PENDING: {
      description:
        'No document is known yet: neither the subgraph nor the issuance service’s answer names one.',
    },
    TIMEOUT: {
      description: 'No source delivered the document in time. Fresh content can take a while on IPFS.',
    },
    NOT_FOUND: { description: 'No source has the document, or the CID names a directory.' },
    INVALID_JSON: { description: 'The document is available but is not a JSON object.' },
    TOO_LARGE: { description: 'The document is larger than the gateway accepts.' },
    BLOCKED: {
      description:
        'The sources refuse to serve the document, or lead to an address that the gateway does not follow, or the CID has a hash function that it does not know.',
    },
    HASH_MISMATCH: {
      description: 'The bytes that an IPFS gateway served do not match the CID. They are not shown.',
    },
    UNAVAILABLE: {
      description: 'The source that would have the document, or would name it, cannot be reached.',
    },
  } as const,
});
