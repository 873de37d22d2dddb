import type { GatewayError } from '@srr-gateway/client';
import type { Command } from 'commander';

/** Inputs of the gateway that have another name in commands. */
const otherNames: Readonly<Record<string, string>> = { url: 'address' };

/** The option or argument that the gateway refuses, such as `--owner`, which its message cannot name. */
export function inputName(command: Command, { code, path }: GatewayError): string | undefined {
  if (code !== 'INVALID_INPUT') return undefined;
  const input = String(path?.at(-1));
  const name = otherNames[input] ?? input;
  const option = command.options.find((one) => one.attributeName() === name);
  const argument = command.registeredArguments.find((one) => one.name() === name);
  return option?.long ?? (argument && `<${name}>`);
}
