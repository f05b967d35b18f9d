import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { CONTRACT_VERSION, OLDEST_CONTRACT_VERSION } from '@vestibule/contracts';
import { describeContracts, type ContractSchemas } from './contracts/describe-contracts';
import { readSnapshots, snapshotFile, VERSIONS_FOLDER, versionFaults } from './contracts/snapshots';
import type { ToolContext } from './start';

/** The content of a snapshot. */
export const snapshotText = (schemas: ContractSchemas): string => `${JSON.stringify(schemas, undefined, 1)}\n`;

/**
 * `node tools/run.cjs contracts`: updates the snapshot of the contracts of this version. If a change is not additive,
 * it says which, writes nothing and ends with exit code 1.
 */
export async function main({ root }: ToolContext): Promise<number> {
  const module = path.join(root, 'dist/libs/platform/contracts/src/index.js');
  const exported = createRequire(__filename)(module) as Readonly<Record<string, unknown>>;
  const now = describeContracts(exported, CONTRACT_VERSION);
  const faults = versionFaults(now, readSnapshots(root), {
    oldest: OLDEST_CONTRACT_VERSION,
    newest: CONTRACT_VERSION,
  });
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  if (faults.length > 0) return 1;
  mkdirSync(path.join(root, VERSIONS_FOLDER), { recursive: true });
  writeFileSync(path.join(root, snapshotFile(CONTRACT_VERSION)), snapshotText(now));
  process.stdout.write(`${snapshotFile(CONTRACT_VERSION)} is up to date\n`);
  return 0;
}
