const requests = new WeakSet<object>();

/**
 * Says that the answer to a request holds a secret. Such an answer is never compressed: from the lengths of
 * compressed answers a secret can be guessed by whoever can add text of his own to them (BREACH).
 */
export function markSecret(req: object | undefined): void {
  if (req) requests.add(req);
}

export const isSecret = (req: object): boolean => requests.has(req);
