import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { currentContext } from './async-context.ts';
import { redact } from './redact.ts';
import { redactDatabaseError } from './redact-database-error.ts';

export type { Logger };

/** Logs redacted JSON lines to standard error: standard output is for what a command prints. */
export function createLogger(options: {
  level: string;
  name: string;
  destination?: DestinationStream;
}): Logger {
  const settings: LoggerOptions = {
    name: options.name,
    level: options.level,
    // No host name and process id: in a container they say nothing, and they leak where it runs.
    base: { name: options.name },
    serializers: { err: (error: Error) => redactDatabaseError(stdSerializers.err(error)) },
    // Every line names the request or issuance that it is about.
    mixin: () => {
      const { requestId, issuanceId, collectionCreation } = currentContext();
      return { requestId, issuanceId, collectionCreation };
    },
  };
  const destination = options.destination ?? pino.destination({ fd: 2, sync: true });
  // Redact the whole line: a list of field paths would miss the fields that nobody thought of.
  return pino(settings, { write: (line) => void destination.write(redact(line)) });
}
