import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const workspaceRoot = path.resolve(__dirname, '../../../..');
// eslint-disable-next-line no-restricted-properties -- a test switch, not configuration of the program
const folder = path.resolve(workspaceRoot, process.env['SPEC_VECTORS_DIR'] ?? '../shared/vectors');

/** True if the official test vectors are available. `.ci/run` fails if they are not. */
const vectorsAvailable = existsSync(folder);

/** A vector file as a string, by its path below the vectors' folder. */
export function readVector(file: string): string {
  return readFileSync(path.join(folder, file), 'utf8').trim();
}

/** A JSON vector. */
export function readJsonVector(file: string): unknown {
  return JSON.parse(readVector(file));
}

/** `describe` if the vectors are available; otherwise one skipped test that says how to get them. */
export function describeWithVectors(title: string, body: () => void): void {
  if (vectorsAvailable) describe(title, body);
  else it.skip(`${title}: skipped, no official vectors (set SPEC_VECTORS_DIR)`, () => undefined);
}
