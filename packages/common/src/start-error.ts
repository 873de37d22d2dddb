/**
 * A start that failed for a reason outside the program: its message alone tells a person what to do, so it
 * is shown without a stack.
 */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/**
 * What an operating system's or driver's error says, in one line. Several attempts at one address (IPv6,
 * then IPv4) come as an AggregateError, whose own message is empty.
 */
export function reasonOf(error: unknown): string {
  const one = error instanceof AggregateError ? error.errors[0] : error;
  const text = one instanceof Error ? one.message : String(one);
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * The error of a server that could not listen on `host`:`port`, told by the names of the variables that
 * set them. Any other error comes back as it is.
 */
export function listenError(error: unknown, host: string, port: number, names = ['HOST', 'PORT']): unknown {
  const [hostName, portName] = names;
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new StartError(
      `${portName}: port ${port} is in use by another program. Stop that one, or set ${portName} to a free port.`,
      { cause: error },
    );
  if (syscall === 'listen' || syscall === 'getaddrinfo')
    return new StartError(
      `${hostName}, ${portName}: cannot listen on ${host}, port ${port} (${reasonOf(error)}).`,
      { cause: error },
    );
  return error;
}
