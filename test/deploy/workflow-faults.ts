import { registerHooks } from 'node:module';

// The package is made for bundlers: it imports JSON without an import attribute, which Node refuses.
const hooks = registerHooks({
  resolve: (specifier, context, next) => ({
    ...next(specifier, context),
    ...(specifier.endsWith('.json') && { importAttributes: { type: 'json' } }),
  }),
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
).finally(() => hooks.deregister());

/** The faults of a workflow that GitHub's own parser reports. */
export async function faultsOf(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  // The conversion reports faults that the schema cannot find, such as missing jobs in `needs`.
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}
