/**
 * The rules of belief: who says what of an entry, where the entry stands, and what follows. Receiver, submission,
 * recovery and index all go by this table; `docs/guarantees.md` prints it.
 *
 * A positive end never changes. A negative one yields to proof on chain.
 */

/** Where an entry stands. */
export const standings = ['UNSENT', 'SENT', 'ACCEPTED', 'FAILED', 'REFUSED', 'ISSUED'] as const;
export type Standing = (typeof standings)[number];

/** What is said of it, and by whom. */
export const words = [
  'DELIVERY_ISSUED',
  'DELIVERY_FAILED',
  'DELIVERY_UNCLEAR',
  'INDEX_SHOWS',
  'INDEX_LACKS',
  'ANSWER_ACCEPTED',
  'ANSWER_PROCESSED',
  'ANSWER_REFUSED',
  'ANSWER_DOUBTFUL',
] as const;
export type Word = (typeof words)[number];

/** What follows. */
export const consequences = [
  'ISSUED',
  'FAILED',
  'ACCEPTED',
  'HELD',
  'ASK_INDEX',
  'NOTED',
  'NOTHING',
] as const;
export type Consequence = (typeof consequences)[number];

const table: Record<Word, Record<Standing, Consequence>> = {
  // The webhook is the authority for what was sent. An externalId that was refused may be an older record's.
  DELIVERY_ISSUED: {
    UNSENT: 'NOTHING',
    SENT: 'ISSUED',
    ACCEPTED: 'ISSUED',
    FAILED: 'ISSUED',
    REFUSED: 'ASK_INDEX',
    ISSUED: 'NOTED',
  },
  // While the answer is missing, the failure may be that of an attempt which is repeated.
  DELIVERY_FAILED: {
    UNSENT: 'NOTHING',
    SENT: 'HELD',
    ACCEPTED: 'FAILED',
    FAILED: 'NOTED',
    REFUSED: 'NOTED',
    ISSUED: 'NOTED',
  },
  // It contradicts itself, or nobody knows its kind: the chain has the last word.
  DELIVERY_UNCLEAR: {
    UNSENT: 'NOTHING',
    SENT: 'ASK_INDEX',
    ACCEPTED: 'ASK_INDEX',
    FAILED: 'ASK_INDEX',
    REFUSED: 'ASK_INDEX',
    ISSUED: 'NOTHING',
  },
  INDEX_SHOWS: {
    UNSENT: 'NOTHING',
    SENT: 'ISSUED',
    ACCEPTED: 'ISSUED',
    FAILED: 'ISSUED',
    REFUSED: 'ISSUED',
    ISSUED: 'NOTHING',
  },
  // Said once the index has seen RECONCILE_AFTER of the chain after the request. Mining may take longer than that.
  INDEX_LACKS: {
    UNSENT: 'NOTHING',
    SENT: 'FAILED',
    ACCEPTED: 'NOTHING',
    FAILED: 'NOTHING',
    REFUSED: 'NOTHING',
    ISSUED: 'NOTHING',
  },
  ANSWER_ACCEPTED: {
    UNSENT: 'NOTHING',
    SENT: 'ACCEPTED',
    ACCEPTED: 'NOTHING',
    FAILED: 'NOTHING',
    REFUSED: 'NOTHING',
    ISSUED: 'NOTHING',
  },
  ANSWER_PROCESSED: {
    UNSENT: 'NOTHING',
    SENT: 'ACCEPTED',
    ACCEPTED: 'NOTHING',
    FAILED: 'NOTHING',
    REFUSED: 'NOTHING',
    ISSUED: 'NOTHING',
  },
  ANSWER_REFUSED: {
    UNSENT: 'NOTHING',
    SENT: 'FAILED',
    ACCEPTED: 'NOTHING',
    FAILED: 'NOTHING',
    REFUSED: 'NOTHING',
    ISSUED: 'NOTHING',
  },
  // It may be what the very success of the request has caused.
  ANSWER_DOUBTFUL: {
    UNSENT: 'NOTHING',
    SENT: 'ASK_INDEX',
    ACCEPTED: 'NOTHING',
    FAILED: 'NOTHING',
    REFUSED: 'NOTHING',
    ISSUED: 'NOTHING',
  },
};

export const believe = (word: Word, standing: Standing): Consequence => table[word][standing];
