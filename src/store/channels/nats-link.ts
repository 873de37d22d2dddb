import { connect } from '@nats-io/transport-node';
import { answerTimeoutMs, keepAliveMs, type Link, type OnMessages } from '@srr-gateway/common/channel';
import { closeMs } from '@srr-gateway/common/database/bounded-connection';
import { withTimeout } from '@srr-gateway/common/time';

/** Opens a connection to a NATS server: `nats://`, or `tls://` for one that must be encrypted. */
export async function openNatsLink(url: string, name: string, onMessages: OnMessages): Promise<Link> {
  const { protocol, host, username, password } = new URL(url);
  const user = decodeURIComponent(username);
  const connection = await connect({
    servers: host,
    // NATS reads a name without a password as a token.
    ...(password ? { user, pass: decodeURIComponent(password) } : user && { token: user }),
    ...(protocol === 'tls:' && { tls: {} }),
    name: 'srr-gateway',
    noEcho: true,
    // The channel reconnects, whichever server it uses.
    reconnect: false,
    timeout: answerTimeoutMs,
    pingInterval: keepAliveMs,
  });
  const refused = Promise.withResolvers<Error>();
  // NATS reports a missing right to publish or subscribe only here, and leaves the connection open.
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error') refused.resolve(status.error);
  })();
  void refused.promise.then(() => connection.close());
  connection.subscribe(name, {
    callback: (error, message) => {
      if (!error) onMessages(message.string().split('\n'));
    },
  });
  const ended = Promise.race([refused.promise, connection.closed()]);
  // Once the server answers the flush, it has the subscription too. A connection that ends first gets no answer.
  const endedFirst = ended.then((error) => {
    throw error ?? new Error('the connection ended');
  });
  await Promise.race([connection.flush(), endedFirst]);
  return {
    send: async (messages) => connection.publish(name, messages.join('\n')),
    ended,
    close: async () => {
      // An unreachable server never confirms that it has received everything.
      if (!connection.isClosed()) await withTimeout(connection.drain(), closeMs);
      await connection.close();
    },
  };
}
