/**
 * A start failed for a reason outside the program. The message says what to do, and is shown without a stack.
 */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/**
 * The message of an error in one line. For an AggregateError, whose own message is empty, that of its first
 * error: Node throws one after attempts at several addresses of a host (IPv6, then IPv4).
 */
export function reasonOf(error: unknown): string {
  const one = error instanceof AggregateError ? error.errors[0] : error;
  const text = one instanceof Error ? one.message : String(one);
  return text.replaceAll(/\s+/g, ' ').trim();
}

/**
 * Turns the error of a server that could not listen on `host`:`port` into a StartError that names the
 * variables to change. Returns other errors unchanged.
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
