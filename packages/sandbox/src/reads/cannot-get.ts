import { ServiceError } from '../http/service-error.ts';

/** The service's answer where nothing is. */
export function cannotGet(path: string): ServiceError {
  return new ServiceError(404, `Cannot GET ${path}`);
}
