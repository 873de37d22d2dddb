import type { Channel, OnMessages } from '../channel.ts';

/** Channels within this process, for a database that no other process can use. */
export class LocalChannels {
  readonly #members = new Map<OnMessages, string>();

  open(name: string, onMessages: OnMessages): Channel {
    // Wrapped, because the same function may be passed twice.
    const self: OnMessages = (messages) => onMessages(messages);
    this.#members.set(self, name);
    return {
      send: async (messages) => {
        for (const [member, of] of this.#members) if (of === name && member !== self) member(messages);
      },
      close: async () => void this.#members.delete(self),
    };
  }
}
