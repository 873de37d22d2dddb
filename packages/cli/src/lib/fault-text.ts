/** The parts of a fault that are printed for people. */
export interface PrintableFault {
  code: string;
  message: string;
  upstreamMessage?: string | null;
}

/** A fault as text. It includes the upstream's message, because the gateway's may only refer to it. */
export const faultText = ({ code, message, upstreamMessage }: PrintableFault): string =>
  `${message}${upstreamMessage ? ` The service says: ${JSON.stringify(upstreamMessage)}` : ''} (${code})`;
