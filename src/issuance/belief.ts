/**
 * The table of belief: what follows when a source says something of an entry, by where the entry stands.
 * Deliveries, submission, recovery and the subgraph all go by it; `docs/guarantees.md` prints it.
 *
 * ISSUED never changes. A failure yields to proof on chain.
 */

/** Where an entry stands. */
export const standings = ['UNSENT', 'SENT', 'ACCEPTED', 'FAILED', 'REFUSED', 'ISSUED'] as const;
export type Standing = (typeof standings)[number];

/** What is said of an entry, and by whom. */
export const words = [
  'DELIVERY_ISSUED',
  'DELIVERY_FAILED',
  'DELIVERY_UNCLEAR',
  'SUBGRAPH_SHOWS',
  'SUBGRAPH_LACKS',
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
  'ASK_SUBGRAPH',
  'NOTED',
  'NOTHING',
] as const;
export type Consequence = (typeof consequences)[number];

const table: Record<Word, Record<Standing, Consequence>> = {
  // A delivery is believed about what was sent. The externalId of a refused entry may be an older record's.
  DELIVERY_ISSUED: {
    UNSENT: 'NOTHING',
    SENT: 'ISSUED',
    ACCEPTED: 'ISSUED',
    FAILED: 'ISSUED',
    REFUSED: 'ASK_SUBGRAPH',
    ISSUED: 'NOTED',
  },
  // While the answer is missing, the failure may be that of a request which is sent again.
  DELIVERY_FAILED: {
    UNSENT: 'NOTHING',
    SENT: 'HELD',
    ACCEPTED: 'FAILED',
    FAILED: 'NOTED',
    REFUSED: 'NOTED',
    ISSUED: 'NOTED',
  },
  // It contradicts itself or is of an unknown type, so the chain decides.
  DELIVERY_UNCLEAR: {
    UNSENT: 'NOTHING',
    SENT: 'ASK_SUBGRAPH',
    ACCEPTED: 'ASK_SUBGRAPH',
    FAILED: 'ASK_SUBGRAPH',
    REFUSED: 'ASK_SUBGRAPH',
    ISSUED: 'NOTHING',
  },
  SUBGRAPH_SHOWS: {
    UNSENT: 'NOTHING',
    SENT: 'ISSUED',
    ACCEPTED: 'ISSUED',
    FAILED: 'ISSUED',
    REFUSED: 'ISSUED',
    ISSUED: 'NOTHING',
  },
  // Only said once the subgraph has seen RECONCILE_AFTER of the chain after the request. Mining an accepted
  // record may take longer than that.
  SUBGRAPH_LACKS: {
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
  // The success of the request itself may have caused this answer.
  ANSWER_DOUBTFUL: {
    UNSENT: 'NOTHING',
    SENT: 'ASK_SUBGRAPH',
    ACCEPTED: 'NOTHING',
    FAILED: 'NOTHING',
    REFUSED: 'NOTHING',
    ISSUED: 'NOTHING',
  },
};

/** What follows when `word` is said of an entry that stands at `standing`. */
export const believe = (word: Word, standing: Standing): Consequence => table[word][standing];
