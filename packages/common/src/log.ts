import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import { currentContext } from './async-context.ts';
import { redact } from './redact.ts';
import { redactDatabaseError } from './redact-database-error.ts';

export type { Logger };

/** Makes a logger of redacted JSON lines on standard error. Standard output is for the output of commands. */
export function createLogger(options: {
  level: string;
  name: string;
  destination?: DestinationStream;
}): Logger {
  const settings: LoggerOptions = {
    name: options.name,
    level: options.level,
    // Leave out host name and process id: in a container they say nothing useful.
    base: { name: options.name },
    serializers: { err: (error: Error) => redactDatabaseError(stdSerializers.err(error)) },
    // Add the ids of the current request or issuance to each line.
    mixin: () => {
      const { requestId, issuanceId, collectionCreation, webhookEndpoint } = currentContext();
      return { requestId, issuanceId, collectionCreation, webhookEndpoint };
    },
  };
  const destination = options.destination ?? standardError();
  // Redact the whole line: a list of field paths would miss new fields.
  return pino(settings, { write: (line) => void destination.write(redact(line)) });
}

/** The buffer for lines that cannot be written at the moment: minutes of a log. When it is full, lines are lost. */
const maxUnwritten = 1_000_000;

function standardError(): DestinationStream {
  const stream = pino.destination({ fd: 2, sync: true, maxLength: maxUnwritten });
  // A full disk or a closed terminal must not end the process. The next write includes the buffered lines.
  return stream.on('error', () => {});
}
