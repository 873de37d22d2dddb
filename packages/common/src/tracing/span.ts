/**
 * Attributes of a span: the gateway's own words, numbers and host names. Never a full URL, a header, or text
 * from outside.
 */
export type Attributes = Record<string, string | number>;

/** A span of a trace. */
export interface Span {
  name: string;
  kind: 'SERVER' | 'CLIENT' | 'INTERNAL';
  attributes: Attributes;
  /** `ok`, or a code of the failure. Never an error's message, which may quote anything. */
  outcome?: string;
  /** Parent span. */
  within?: Span | undefined;
  /** The W3C `traceparent` of a caller whose trace this span continues. */
  caller?: string | undefined;
}
