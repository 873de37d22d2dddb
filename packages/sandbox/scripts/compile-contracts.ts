import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);
const contractsDirectory = fileURLToPath(new URL('../src/chain/contracts/', import.meta.url));
const artifactsDirectory = fileURLToPath(new URL('../src/chain/artifacts/', import.meta.url));

interface CompilerOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts: Record<string, Record<string, { abi: unknown[]; evm: { bytecode: { object: string } } }>>;
}

interface Compiler {
  compile(
    input: string,
    callbacks: { import(path: string): { contents: string } | { error: string } },
  ): string;
}

/** The artifact files by name: the same sources give the same text. Throws the compiler's errors. */
function compileContracts(): Map<string, string> {
  const compiler = require('solc') as Compiler;
  const names = readdirSync(contractsDirectory)
    .filter((name) => name.endsWith('.sol'))
    .sort();
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(
      names.map((name) => [name, { content: readFileSync(join(contractsDirectory, name), 'utf8') }]),
    ),
    settings: {
      optimizer: { enabled: true, runs: 200 },
      evmVersion: 'cancun',
      // With a metadata hash, a changed comment or compiler path would change the bytecode.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  };
  const output = JSON.parse(
    compiler.compile(JSON.stringify(input), { import: readImport }),
  ) as CompilerOutput;
  const errors = output.errors?.filter((error) => error.severity === 'error') ?? [];
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'));

  const header = '// Made by scripts/compile-contracts.ts from ../contracts.\n';
  let abis = header;
  let bytecodes = header;
  for (const name of names.map((file) => file.replace(/\.sol$/, ''))) {
    const contract = output.contracts[`${name}.sol`]?.[name];
    if (!contract) continue;
    const bytecode = `0x${contract.evm.bytecode.object}`;
    // Skip what is not deployed: abstract contracts and the inlined library RecordIds.
    if (bytecode === '0x' || name === 'RecordIds') continue;
    abis += `export const ${camel(name)}Abi = ${JSON.stringify(contract.abi)} as const;\n`;
    bytecodes += `export const ${camel(name)}: \`0x\${string}\` = '${bytecode}';\n`;
  }
  return new Map([
    ['abis.ts', abis],
    ['bytecodes.ts', bytecodes],
  ]);
}

/** Names of artifact files that are missing, superfluous or differ from what the sources give. */
export function staleArtifacts(): string[] {
  const wanted = compileContracts();
  const present = readdirSync(artifactsDirectory);
  const changed = [...wanted].filter(
    ([name, text]) =>
      !present.includes(name) || readFileSync(join(artifactsDirectory, name), 'utf8') !== text,
  );
  return [...changed.map(([name]) => name), ...present.filter((name) => !wanted.has(name))];
}

function readImport(path: string): { contents: string } | { error: string } {
  try {
    return { contents: readFileSync(require.resolve(path), 'utf8') };
  } catch (error) {
    return { error: String(error) };
  }
}

function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

if (import.meta.main)
  for (const [name, text] of compileContracts()) writeFileSync(join(artifactsDirectory, name), text);
