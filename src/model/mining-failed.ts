const serviceRetries =
  'The service retries by itself when its account is out of funds, or a nonce or price is at fault: wait then, and the status becomes ISSUED if that succeeds.';

/** Advice for a record that was not mined. Issuing it again too early may create two. */
export const afterMiningFailed = `${serviceRetries} Otherwise issue the record again under a new externalId.`;

/** The same for a collection that was not deployed. */
export const afterNotDeployed = `${serviceRetries} Otherwise create it again under a new requestId, with another salt or with none.`;
