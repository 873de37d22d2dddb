import { type Logger, type LoggerOptions, pino } from 'pino';

export type { Logger };

/** Header and field names whose values are secrets wherever they stand in a logged object. */
const secretNames = [
  'commerce-api-key',
  'x-api-key',
  'authorization',
  'cookie',
  'apiKey',
  'token',
  'webhookKeys',
  'signingSecrets',
  'signedUrl',
  'password',
];

/** JSON lines on standard error, so that standard output stays free for what a command prints. */
export function createLogger(options: { level: string; name: string }): Logger {
  const settings: LoggerOptions = {
    name: options.name,
    level: options.level,
    redact: {
      paths: secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: '[secret]',
    },
    // The host name and process id say nothing in a container and leak where it runs.
    base: { name: options.name },
  };
  return pino(settings, pino.destination({ fd: 2, sync: true }));
}
