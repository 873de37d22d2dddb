import { readFileSync } from 'node:fs';
import { fileFault } from '@srr-gateway/common/file-fault';

/**
 * Reads the JSON file that the variable `name` names. If it cannot be used, adds a fault and returns
 * undefined.
 */
export function readJsonFile(name: string, path: string, faults: string[]): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    faults.push(`${name}: ${fileFault(path, error as NodeJS.ErrnoException, 'is not JSON')}`);
    return undefined;
  }
}
