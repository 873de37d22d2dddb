import { ServiceError } from '../http/service-error.ts';

/** The service's 404 for a path that has nothing. */
export function cannotGet(path: string): ServiceError {
  return new ServiceError(404, `Cannot GET ${path}`);
}
