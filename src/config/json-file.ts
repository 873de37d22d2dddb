import { readFileSync } from 'node:fs';
import { fileFault } from '@srr-gateway/common/file-fault';

/**
 * Reads the JSON file that the variable `name` names. If it cannot be used, adds a fault and returns
 * undefined.
 */
export function readJsonFile(name: string, path: string, faults: string[]): unknown {
  try {
    // Unlike `toString` it leaves out the byte order mark that some editors write.
    return JSON.parse(new TextDecoder().decode(readFileSync(path)));
  } catch (error) {
    faults.push(`${name}: ${fileFault(path, error as NodeJS.ErrnoException, 'is not JSON')}`);
    return undefined;
  }
}
