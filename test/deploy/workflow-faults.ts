import { registerHooks } from 'node:module';

// The package is made for bundlers: it imports JSON without saying so, which Node refuses.
const hooks = registerHooks({
  resolve: (specifier, context, next) => ({
    ...next(specifier, context),
    ...(specifier.endsWith('.json') && { importAttributes: { type: 'json' } }),
  }),
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
).finally(() => hooks.deregister());

/** What GitHub's own parser finds wrong with a workflow. */
export async function faultsOf(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  // The conversion reports what the schema cannot know, such as jobs in `needs` that are not there.
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}
