import { randomUUID } from 'node:crypto';
import { answerTimeoutMs, keepAliveMs, type Link, type OnMessages } from '@srr-gateway/common/channel';
import { Redis } from 'iovalkey';

/** Opens two connections to a Valkey or Redis server: one that subscribes can do nothing else. */
export async function openValkeyLink(url: string, name: string, onMessages: OnMessages): Promise<Link> {
  const subscriber = new Redis(url, {
    lazyConnect: true,
    connectionName: 'srr-gateway',
    // The channel reconnects, whichever server it uses.
    retryStrategy: () => null,
    connectTimeout: answerTimeoutMs,
    commandTimeout: answerTimeoutMs,
    keepAlive: keepAliveMs,
  });
  const publisher = subscriber.duplicate();
  const both = [subscriber, publisher];
  const close = async () => {
    for (const connection of both) connection.disconnect();
  };
  let fault: unknown;
  // Without a listener the library would print the error with its command. An `end` event follows each error.
  for (const connection of both)
    connection.on('error', (error) => {
      fault = error;
    });
  const ended = Promise.race(both.map((one) => new Promise((end) => one.once('end', () => end(fault)))));
  void ended.then(close);
  // Messages come back to their sender too.
  const self = randomUUID();
  subscriber.on('message', (_name: string, text: string) => {
    const [sender, ...messages] = text.split('\n');
    if (sender !== self) onMessages(messages);
  });
  try {
    await Promise.all(both.map((connection) => connection.connect()));
    await subscriber.subscribe(name);
  } catch (error) {
    await close();
    // `error` alone may say only that the connection is closed.
    throw fault ?? error;
  }
  return {
    send: async (messages) => void (await publisher.publish(name, [self, ...messages].join('\n'))),
    ended,
    close,
  };
}
