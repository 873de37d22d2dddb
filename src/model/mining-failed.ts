/** Part of every text of MINING_FAILED: who issues again too early may get two records or collections. */
export const serviceRetries =
  'The service retries by itself when its account is out of funds, or a nonce or price is at fault: wait then, and the status becomes ISSUED if that succeeds.';
