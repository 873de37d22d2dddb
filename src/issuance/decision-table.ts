/**
 * The decision table: what the gateway does for each report of a source and each state of an entry. Deliveries,
 * submission, recovery and the subgraph all follow it; `docs/guarantees.md` has it too.
 *
 * ISSUED never changes. A failure yields to proof on chain.
 */

/** The state of an entry: what is known of its request and its outcome. */
export const decisionStates = ['UNSENT', 'SENT', 'ACCEPTED', 'FAILED', 'REFUSED', 'ISSUED'] as const;
export type DecisionState = (typeof decisionStates)[number];

/** What a source reports about an entry. `ANSWER_…` is the service's response to the request. */
export const reports = [
  'DELIVERY_ISSUED',
  'DELIVERY_FAILED',
  'DELIVERY_UNCLEAR',
  'SUBGRAPH_SHOWS',
  'SUBGRAPH_LACKS',
  'ANSWER_ACCEPTED',
  'ANSWER_PROCESSED',
  'ANSWER_REFUSED',
  'ANSWER_INCONCLUSIVE',
] as const;
export type Report = (typeof reports)[number];

/** What the gateway does. `HELD`: it stores the delivery and applies it later. */
export type Consequence =
  | 'ISSUED'
  | 'FAILED'
  | 'ACCEPTED'
  | 'HELD'
  | 'ASK_SUBGRAPH'
  | 'ADD_TO_HISTORY'
  | 'NOTHING';

/** A consequence for each state, in the order of `decisionStates`. */
type Row<States = typeof decisionStates> = { readonly [Place in keyof States]: Consequence };

const table: Record<Report, Row> = {
  // For UNSENT, SENT, ACCEPTED, FAILED, REFUSED, ISSUED. A delivery counts for a sent entry. The externalId of a
  // refused one may be an older record's.
  DELIVERY_ISSUED: ['NOTHING', 'ISSUED', 'ISSUED', 'ISSUED', 'ASK_SUBGRAPH', 'ADD_TO_HISTORY'],
  // Without a response it is unknown which request failed: the first or its repetition.
  DELIVERY_FAILED: ['NOTHING', 'HELD', 'FAILED', 'ADD_TO_HISTORY', 'ADD_TO_HISTORY', 'ADD_TO_HISTORY'],
  // The delivery contradicts itself or is of an unknown type, so the chain decides.
  DELIVERY_UNCLEAR: ['NOTHING', 'ASK_SUBGRAPH', 'ASK_SUBGRAPH', 'ASK_SUBGRAPH', 'ASK_SUBGRAPH', 'NOTHING'],
  SUBGRAPH_SHOWS: ['NOTHING', 'ISSUED', 'ISSUED', 'ISSUED', 'ISSUED', 'NOTHING'],
  // Reported only when the subgraph is synced to RECONCILE_AFTER past the request. Mining an accepted record may take
  // longer.
  SUBGRAPH_LACKS: ['NOTHING', 'FAILED', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
  ANSWER_ACCEPTED: ['NOTHING', 'ACCEPTED', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
  ANSWER_PROCESSED: ['NOTHING', 'ACCEPTED', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
  // ACCEPTED here comes from a delivery before the answer, which seemed to prove acceptance.
  ANSWER_REFUSED: ['NOTHING', 'FAILED', 'FAILED', 'NOTHING', 'NOTHING', 'NOTHING'],
  // This response may be caused by the success of the request itself.
  ANSWER_INCONCLUSIVE: ['NOTHING', 'ASK_SUBGRAPH', 'NOTHING', 'NOTHING', 'NOTHING', 'NOTHING'],
};

/** What the gateway does when a source makes this report about an entry in this state. */
export const decide = (report: Report, state: DecisionState): Consequence =>
  table[report][decisionStates.indexOf(state)] as Consequence;
