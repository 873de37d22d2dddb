import { type Caller, mayUse } from '../access/caller.ts';
import type { OperationSource } from '../graphql/execution/context.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { RunOperation } from '../operations/operations.ts';
import { codesOfInput, isKnown } from '../operations/refusals.ts';
import { pathInVariables, variableFaults } from '../operations/variables.ts';
import { beginning, cutResult, maxResult } from './cut-result.ts';
import { isFile } from './input-schema.ts';
import { lacksScope, lineOf, type ToolError, toolError } from './tool-errors.ts';
import type { Tool } from './tools.ts';

/** The caller of a tool, and the source of its request. */
export interface ToolCaller {
  caller: Caller;
  source: OperationSource;
  /** Aborts when the caller leaves. */
  signal: AbortSignal;
}

/** The result of a tool: data for programs, and the same as text for models. */
export type ToolResult = {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError?: true;
};

type Arguments = Record<string, unknown>;

/** More would say the same. */
const maxMissing = 20;

/** Runs a tool for its caller. Faults are part of the result, so that an agent can act on them. */
export async function runTool(
  tool: Tool,
  args: Arguments,
  { caller, source, signal }: ToolCaller,
  run: RunOperation,
): Promise<ToolResult> {
  if (tool.scope && !mayUse(caller, tool.scope)) return failed([lacksScope(caller, tool.scope)]);
  const values = withFiles(tool, args);
  const argumentErrors = checkArguments(tool, args, values);
  if (argumentErrors.length > 0) return failed(argumentErrors);
  const result = await run(source, tool.operation, values, signal);
  const errors = (result.errors ?? []).map(({ message, path, extensions }) => {
    const { code, inputPath, ...more } = extensions as { code: string; inputPath?: string[] } & Arguments;
    return toolError({ code, message, argument: argumentOf(tool, inputPath), field: path, ...more });
  });
  const inputErrors = errors.filter(({ code }) => codesOfInput.has(code));
  if (inputErrors.length > 0) return failed(inputErrors);
  const [root] = 'data' in result ? Object.values(result.data ?? {}) : [];
  if (!isKnown(root)) return failed(errors.length > 0 ? errors : [toolError(tool.nullFault)]);
  const { faults, payload } = payloadOf(root, tool);
  if (faults.length > 0) return failed(faults);
  // The errors of an answer of which parts are missing. The limit of a result counts them too.
  const missing = errors.length > 0 && {
    missing: cutResult(errors.slice(0, maxMissing), maxResult / 2).value,
  };
  const { value, note } = cutResult(payload, maxResult - JSON.stringify(missing).length);
  const structuredContent = {
    ...(Array.isArray(value) ? { items: value } : (value as object)),
    ...missing,
    ...(note && { note }),
  };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

/** The result of a call that failed. */
export function failed(errors: readonly ToolError[]): ToolResult {
  const { value, note } = cutResult(errors);
  const text = beginning(errors.map(lineOf).join('\n'), maxResult);
  const structuredContent = { errors: value, ...(note && { note }) };
  return { content: [{ type: 'text', text }], structuredContent, isError: true };
}

/** Separates the faults of a mutation from its payload. */
function payloadOf(root: unknown, tool: Tool): { faults: ToolError[]; payload: unknown } {
  if (!tool.isMutation) return { faults: [], payload: root };
  const { userErrors, ...payload } = root as {
    userErrors: { code: string; message: string; path?: string[] }[];
  };
  const faults = userErrors.map(({ path, ...fault }) =>
    toolError({ ...fault, argument: argumentOf(tool, path) }),
  );
  return { faults, payload };
}

/** The place of a fault in the tool's arguments. */
const argumentOf = ({ variables }: Tool, path: string[] | null | undefined): string | undefined =>
  path ? (pathInVariables(variables, path) ?? path).join('.') : undefined;

/** More would not help an agent. */
const maxUnknown = 50;

/** All faults of the arguments that can be found before a source is called. */
function checkArguments({ variables }: Tool, args: Arguments, values: Arguments): ToolError[] {
  const names = variables.map(({ name }) => name);
  const known = names.length > 0 ? `It takes ${names.join(', ')}.` : 'It takes none.';
  // GraphQL ignores unknown variables, so a misspelt filter would find everything.
  const unknown = Object.keys(args)
    .filter((name) => !names.includes(name))
    .slice(0, maxUnknown)
    .map((name) => ({
      path: [name.slice(0, 100)],
      message: `This tool has no argument of this name. ${known}`,
    }));
  const files = new Set(variables.filter(isFile).map(({ name }) => name));
  return [...unknown, ...variableFaults(variables, values)].map(({ path, message }) =>
    toolError({
      code: 'INVALID_INPUT',
      message: files.has(path[0] ?? '')
        ? 'Give its content as {"text": "…"} or as {"base64": "…"}.'
        : message,
      argument: path.join('.'),
    }),
  );
}

/** Replaces contents by files. Anything else in place of a content becomes undefined, which is refused later. */
function withFiles({ variables }: Tool, args: Arguments): Arguments {
  const files = variables.filter(isFile).map(({ name }) => [name, fileOf(args[name])] as const);
  return { ...args, ...Object.fromEntries(files) };
}

function fileOf(content: unknown): File | undefined {
  // Spreading a string would make a property of each of its characters, which takes a second.
  if (!isJsonObject(content)) return undefined;
  const { text, base64, ...more } = content;
  if (Object.keys(more).length > 0 || (text === undefined) === (base64 === undefined)) return undefined;
  if (typeof text === 'string') return text.isWellFormed() ? new File([text], '') : undefined;
  // Each character can match in only one way: otherwise the expression would backtrack for minutes.
  if (typeof base64 !== 'string' || !/^[A-Za-z0-9+/\s]*(=\s*){0,2}$/.test(base64)) return undefined;
  // A single character at the end encodes no byte: the text was cut off.
  if (base64.replace(/[=\s]/g, '').length % 4 === 1) return undefined;
  return new File([Buffer.from(base64, 'base64')], '');
}
