/**
 * The decision table: for each message of a source and each state of an entry, what the gateway does.
 * Deliveries, submission, recovery and the subgraph all go by it; `docs/guarantees.md` prints it.
 *
 * ISSUED never changes. A failure yields to proof on chain.
 */

/** State of an entry, as far as its request and its outcome are known. */
export const standings = ['UNSENT', 'SENT', 'ACCEPTED', 'FAILED', 'REFUSED', 'ISSUED'] as const;
export type Standing = (typeof standings)[number];

/** What a source says of an entry. `ANSWER_…` is the service's response to the request. */
export const reports = [
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
export type Report = (typeof reports)[number];

/**
 * What the gateway does then. `HELD`: it stores the delivery and applies it later. `NOTED`: it adds a line to
 * the history.
 */
const consequences = ['ISSUED', 'FAILED', 'ACCEPTED', 'HELD', 'ASK_SUBGRAPH', 'NOTED', 'NOTHING'] as const;
export type Consequence = (typeof consequences)[number];

const table: Record<Report, Record<Standing, Consequence>> = {
  // A delivery counts for what was sent. The externalId of a refused entry may be an older record's.
  DELIVERY_ISSUED: {
    UNSENT: 'NOTHING',
    SENT: 'ISSUED',
    ACCEPTED: 'ISSUED',
    FAILED: 'ISSUED',
    REFUSED: 'ASK_SUBGRAPH',
    ISSUED: 'NOTED',
  },
  // Without a response it is unknown which request failed: the first one or its repetition.
  DELIVERY_FAILED: {
    UNSENT: 'NOTHING',
    SENT: 'HELD',
    ACCEPTED: 'FAILED',
    FAILED: 'NOTED',
    REFUSED: 'NOTED',
    ISSUED: 'NOTED',
  },
  // The delivery contradicts itself or is of an unknown type, so the chain decides.
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
  // Said only when the subgraph is synced to RECONCILE_AFTER past the request. Mining an accepted record may
  // take longer than that.
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
  // This response may be caused by the success of the request itself.
  ANSWER_DOUBTFUL: {
    UNSENT: 'NOTHING',
    SENT: 'ASK_SUBGRAPH',
    ACCEPTED: 'NOTHING',
    FAILED: 'NOTHING',
    REFUSED: 'NOTHING',
    ISSUED: 'NOTHING',
  },
};

/** What the gateway does when a source says `report` of an entry in state `standing`. */
export const decide = (report: Report, standing: Standing): Consequence => table[report][standing];
