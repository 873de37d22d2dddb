/** How outcomes are delivered. The document says that delivery, payload and retry policy are "not shown". */
export interface DeliveryVariants {
  /** LOSE: deliveries are never sent. HOLD: they wait until the test releases them. */
  way: 'SEND' | 'LOSE' | 'HOLD';
  /** The time from the outcome to the first attempt. */
  delayMs: number;
  /** The number of times that each delivery is sent. */
  copies: number;
  /** Outcomes of one kind and wallet within this time are in one delivery. */
  gatherMs: number;
  /** Whether gathered or released outcomes are sent in reverse order. */
  reversed: boolean;
  /**
   * LIST: `{type, version, data: […]}`. OBJECT: `data` is one object. NULL_TYPE: `type` is null. UNTYPED:
   * there is only `data`. FLAT: the fields of `data` are at the top level. A form for one entry has a
   * delivery for each entry.
   */
  envelope: 'LIST' | 'OBJECT' | 'NULL_TYPE' | 'UNTYPED' | 'FLAT';
  /**
   * OLD: `{srrId, externalId, metadata}`. SLIM: the fields of the 201, flat. NESTED: in `srr`, as in the 201.
   * EXTERNAL_ID, TOKEN_ID: only that field. For collections, OLD and SLIM are `{name, symbol, salt,
   * collectionAddress, status}`, NESTED has these in `collection`, EXTERNAL_ID is only the salt, and TOKEN_ID
   * only the address.
   */
  ids: 'OLD' | 'SLIM' | 'NESTED' | 'EXTERNAL_ID' | 'TOKEN_ID';
  /** Whether entries have a `status`: issued or failed. */
  status: boolean;
  /** STATUS: a failure has the kind of a success, with `status: "failed"`. */
  failedAs: 'KIND' | 'STATUS';
  /** The names of the kinds; null becomes `type: null`. */
  kinds: Record<Kind, string | null>;
  /**
   * The deliveries about a minted record. FAILURE_FIRST: a failure, then the success. LATE_FAILURE: the
   * success, then a failure.
   */
  tells: 'OUTCOME' | 'FAILURE_FIRST' | 'LATE_FAILURE';
  /**
   * Whether a request that is refused or breaks also causes deliveries of failures. UNACCEPTED: for
   * externalIds that are not accepted yet. ALL: for accepted ones too, so that a refused repetition is
   * delivered as a failure.
   */
  tellsRefusals: 'NO' | 'UNACCEPTED' | 'ALL';
  /** The number of attempts in all, at most 5. */
  attempts: number;
  retryMs: number;
}

export type Kind = 'issued' | 'failed' | 'collectionCreated' | 'collectionFailed';
