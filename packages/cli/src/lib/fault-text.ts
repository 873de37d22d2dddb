/** A fault of the gateway, as far as people are told of it. */
export interface ToldFault {
  code: string;
  message: string;
  upstreamMessage?: string | null;
}

/** A fault for people, with the words of the system behind the gateway: some messages only refer to them. */
export const faultText = ({ code, message, upstreamMessage }: ToldFault): string =>
  `${message}${upstreamMessage ? ` The service says: ${JSON.stringify(upstreamMessage)}` : ''} (${code})`;
