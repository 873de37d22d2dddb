import type { Operations } from './operation.ts';
import { commerceOperations, type Examples } from './operations/commerce.ts';
import { controlOperations } from './operations/control.ts';
import { type ReadExamples, readOperations } from './operations/reads.ts';
import { surfaceOperations } from './operations/surfaces.ts';

/** What every described route is described by. */
export function allOperations(examples: Examples & ReadExamples): Operations {
  return {
    ...commerceOperations(examples),
    ...surfaceOperations(examples.image.replace('ipfs://', '')),
    ...readOperations(examples),
    ...controlOperations(examples.fresh),
  };
}
