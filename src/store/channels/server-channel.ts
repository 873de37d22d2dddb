import { type Channel, type OnMessages, ReconnectingChannel } from '@srr-gateway/common/channel';
import type { Logger } from '@srr-gateway/common/log';

/** A server for signals, and the channel to open on it. */
export interface ServerChannelOptions {
  url: string;
  name: string;
  onMessages: OnMessages;
  log: Logger;
}

/**
 * Opens a channel over NATS or Valkey, and returns before it is connected: a start must not depend on a server
 * that only saves time.
 */
export async function openServerChannel({ url, name, ...rest }: ServerChannelOptions): Promise<Channel> {
  // Imported only here: without SIGNALS_URL neither library takes memory.
  const openLink = /^(nats|tls):/.test(url)
    ? (await import('./nats-link.ts')).openNatsLink
    : (await import('./valkey-link.ts')).openValkeyLink;
  const open = () => openLink(url, name, rest.onMessages);
  // `host` is without user and password.
  const lost = `SIGNALS_URL: no connection to ${new URL(url).host}; work and events are found by polling until there is one`;
  return new ReconnectingChannel({ ...rest, open, lost });
}
