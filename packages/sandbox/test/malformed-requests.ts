import fc, { type Arbitrary } from 'fast-check';
import { malformedCommerce, wrongHeaders } from './malformed-commerce.ts';
import type { MalformedRequest, World } from './malformed-request.ts';
import {
  malformedControl,
  malformedObjects,
  malformedPaths,
  malformedQueries,
  malformedRpc,
} from './malformed-surfaces.ts';

/** Malformed requests of every kind for every endpoint. */
export function malformedRequests(world: World): Arbitrary<MalformedRequest> {
  return fc.oneof(
    { weight: 60, arbitrary: malformedCommerce(world) },
    { weight: 8, arbitrary: wrongHeaders(world) },
    { weight: 10, arbitrary: malformedControl(world) },
    { weight: 4, arbitrary: malformedQueries() },
    { weight: 6, arbitrary: malformedObjects(world) },
    { weight: 10, arbitrary: malformedPaths(world) },
    { weight: 2, arbitrary: malformedRpc(world) },
  );
}
