interface Info {
  /** The GraphQL type that shows it, which has the same description. */
  name: string;
  description: string;
  /** The service's type of the delivery. Absent for the gateway's own events, and for unknown deliveries. */
  delivery?: string;
}

/** All types of events (`EventType` in the schema), with their descriptions. */
export const eventTypeInfo = {
  SRR_ISSUED: { name: 'SRRIssued', description: 'A record was minted.', delivery: 'issue_complete' },
  SRR_FAILED: {
    name: 'SRRFailed',
    description:
      'A record was refused, or was accepted but not mined. SRR_ISSUED follows if it is minted after all.',
    // A guess: the service's document mentions such a delivery, but not its type. WEBHOOK_TYPES adds the real one.
    delivery: 'issue_failed',
  },
  TRANSFER_RESERVED: {
    name: 'TransferReserved',
    description: 'A transfer of a record was reserved on chain.',
    delivery: 'transfer_key',
  },
  TRANSFER_COMPLETED: {
    name: 'TransferCompleted',
    description: 'A transfer of a record was executed on chain. The record has another owner.',
    delivery: 'transfer_complete',
  },
  COLLECTION_CREATED: {
    name: 'CollectionCreated',
    description: 'A collection contract was deployed.',
    delivery: 'collection_created',
  },
  COLLECTION_FAILED: {
    name: 'CollectionFailed',
    description: 'A collection contract could not be deployed.',
    delivery: 'collection_create_failed',
  },
  ISSUANCE_REJECTED: {
    name: 'IssuanceRejected',
    description:
      'An issuance ended before it was sent, because of its files or its API key. None of its records was issued. Records that the issuance service refused are SRR_FAILED.',
  },
  WEBHOOK_ENDPOINT_DISABLED: {
    name: 'WebhookEndpointDisabled',
    description:
      'A webhook endpoint of the issuer failed for so long that nothing is sent to it any more. updateWebhookEndpoint with status ENABLED resumes where it stopped.',
  },
  UNRECOGNIZED: {
    name: 'UnrecognizedEvent',
    description:
      'A webhook entry of an unknown type or in an unknown form. It changes no status; raw has all of it.',
  },
} as const satisfies Record<string, Info>;

export type EventType = keyof typeof eventTypeInfo;

/** Whether events of this type report the outcome of a record. */
export const isRecordOutcome = (type: EventType): boolean => type === 'SRR_ISSUED' || type === 'SRR_FAILED';

export const eventTypes = Object.keys(eventTypeInfo) as EventType[];

/** A GraphQL type of an event. */
export type EventTypeName = (typeof eventTypeInfo)[EventType]['name'];

/** Event types by delivery type. */
export const typeOfDelivery: ReadonlyMap<string, EventType> = new Map(
  Object.entries(eventTypeInfo).flatMap(([type, info]) =>
    'delivery' in info ? [[info.delivery, type as EventType]] : [],
  ),
);
