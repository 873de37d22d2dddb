/** The gateway's own words and numbers, and host names: never a full URL, a header, or text from outside. */
export type Attributes = Record<string, string | number>;

/** A span of a trace: a piece of work that takes time. */
export interface Span {
  name: string;
  kind: 'SERVER' | 'CLIENT' | 'INTERNAL';
  attributes: Attributes;
  /** `ok`, or one word for how it failed; never an error's message, which may quote anything. */
  outcome?: string;
  /** The parent span. */
  within?: Span | undefined;
  /** The W3C `traceparent` of a caller whose trace this span continues. */
  caller?: string | undefined;
}
