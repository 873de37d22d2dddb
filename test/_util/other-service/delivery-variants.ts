/** How outcomes are told. Delivery, payload and retry policy are "not shown". */
export interface DeliveryVariants {
  /** LOSE: they never leave. HOLD: they wait until the test releases them. */
  way: 'SEND' | 'LOSE' | 'HOLD';
  /** From the outcome to the first attempt. */
  delayMs: number;
  /** How often each is sent. */
  copies: number;
  /** Outcomes of one kind and wallet within this time travel in one delivery. */
  gatherMs: number;
  /** What was gathered, or is released, leaves the last one first. */
  reversed: boolean;
  /**
   * LIST: `{type, version, data: […]}`. OBJECT: `data` is one object. NULL_TYPE: `type` is null. UNTYPED: there
   * is nothing but `data`. FLAT: no `data`, its fields stand at the top. More than one entry is told one by one
   * where the form has no room for them.
   */
  envelope: 'LIST' | 'OBJECT' | 'NULL_TYPE' | 'UNTYPED' | 'FLAT';
  /**
   * OLD: `{srrId, externalId, metadata}`. SLIM: the fields of the 201, flat. NESTED: in `srr`, as in the 201.
   * EXTERNAL_ID, TOKEN_ID: that alone. Of collections OLD and SLIM are `{name, symbol, salt,
   * collectionAddress, status}`, NESTED has them in `collection`, EXTERNAL_ID is the salt alone, TOKEN_ID the
   * address alone.
   */
  ids: 'OLD' | 'SLIM' | 'NESTED' | 'EXTERNAL_ID' | 'TOKEN_ID';
  /** Whether entries say `status`: issued or failed. */
  status: boolean;
  /** STATUS: the kind of success, with `status: "failed"`. */
  failedAs: 'KIND' | 'STATUS';
  /** The names of the kinds; null is told as `type: null`. */
  kinds: Record<Kind, string | null>;
  /**
   * What is told when the chain has decided. FAILURE_FIRST: a failure, then the success. LATE_FAILURE: the
   * success, then a failure. Both of records that are minted.
   */
  tells: 'OUTCOME' | 'FAILURE_FIRST' | 'LATE_FAILURE';
  /**
   * Whether a request that is refused or breaks is told as failed too. UNACCEPTED: of externalIds that are not
   * accepted by now. ALL: of accepted ones as well, so that a refused repetition is told as a failure.
   */
  tellsRefusals: 'NO' | 'UNACCEPTED' | 'ALL';
  /** In all, at most 5. */
  attempts: number;
  retryMs: number;
}

export type Kind = 'issued' | 'failed' | 'collectionCreated' | 'collectionFailed';
