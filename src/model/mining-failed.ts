const serviceRetries =
  'The service retries by itself when its account is out of funds, or a nonce or price is at fault: wait then, and the status becomes ISSUED if that succeeds.';

/** What to do about a record that was not mined. Issuing it again too early may make two records. */
export const afterMiningFailed = `${serviceRetries} Otherwise issue the record again under a new externalId.`;

/** What to do about a collection that was not deployed. */
export const afterNotDeployed = `${serviceRetries} Otherwise create it again under a new requestId, with another salt or with none.`;
