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
export type Consequence = 'ISSUED' | 'FAILED' | 'ACCEPTED' | 'HELD' | 'ASK_SUBGRAPH' | 'NOTED' | 'NOTHING';

/** A consequence for each standing, in the order of `standings`. */
type Row<Standings = typeof standings> = { readonly [Place in keyof Standings]: Consequence };

const table: Record<Report, Row> = {
  // For UNSENT, SENT, ACCEPTED, FAILED, REFUSED, ISSUED.
  // A delivery counts for what was sent. The externalId of a refused entry may be an older record's.
  DELIVERY_ISSUED: ['NOTHING', 'ISSUED', 'ISSUED', 'ISSUED', 'ASK_SUBGRAPH', 'NOTED'],
  // Without a response it is unknown which request failed: the first one or its repetition.
  DELIVERY_FAILED: ['NOTHING', 'HELD', 'FAILED', 'NOTED', 'NOTED', 'NOTED'],
  // The delivery contradicts itself or is of an unknown type, so the chain decides.
  DELIVERY_UNCLEAR: ['NOTHING', 'ASK_SUBGRAPH', 'ASK_SUBGRAPH', 'ASK_SUBGRAPH', 'ASK_SUBGRAPH', 'NOTHING'],
  SUBGRAPH_SHOWS: ['NOTHING', 'ISSUED', 'ISSUED', 'ISSUED', 'ISSUED', 'NOTHING'],
  // Said only when the subgraph is synced to RECONCILE_AFTER past the request. Mining an accepted record may
  // take longer than that.
  SUBGRAPH_LACKS: ['NOTHING', 'FAILED', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
  ANSWER_ACCEPTED: ['NOTHING', 'ACCEPTED', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
  ANSWER_PROCESSED: ['NOTHING', 'ACCEPTED', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
  // A delivery that came before the answer seemed to prove the acceptance.
  ANSWER_REFUSED: ['NOTHING', 'FAILED', 'FAILED', 'NOTHING', 'NOTHING', 'NOTHING'],
  // This response may be caused by the success of the request itself.
  ANSWER_DOUBTFUL: ['NOTHING', 'ASK_SUBGRAPH', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
};

/** What the gateway does when a source says `report` of an entry in state `standing`. */
export const decide = (report: Report, standing: Standing): Consequence =>
  table[report][standings.indexOf(standing)] as Consequence;
