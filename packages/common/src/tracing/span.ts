/** Words and numbers of the gateway's own: never an address, a header, or what somebody else said. */
export type Attributes = Record<string, string | number>;

/** A piece of work that takes its time, as traces show it. */
export interface Span {
  name: string;
  kind: 'SERVER' | 'CLIENT' | 'INTERNAL';
  attributes: Attributes;
  /** `ok`, or how it ended otherwise in one word; of an error never its message, which may quote anything. */
  outcome?: string;
  /** What it is a part of. */
  within?: Span | undefined;
  /** W3C `traceparent` of a caller whose trace this goes on. */
  caller?: string | undefined;
}
