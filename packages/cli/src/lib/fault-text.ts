/** A fault of the gateway, for people. */
export interface ToldFault {
  code: string;
  message: string;
  upstreamMessage?: string | null;
}

/** The text of a fault, with the upstream's message, to which some messages only refer. */
export const faultText = ({ code, message, upstreamMessage }: ToldFault): string =>
  `${message}${upstreamMessage ? ` The service says: ${JSON.stringify(upstreamMessage)}` : ''} (${code})`;
