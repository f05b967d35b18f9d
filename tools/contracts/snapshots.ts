import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { notAdditive, notServed } from './additive';
import type { ContractSchemas } from './describe-contracts';

/** Where the schemas of all understood versions are kept. */
export const VERSIONS_FOLDER = 'libs/platform/contracts/versions';

/** The versions that this program understands. */
export interface Understood {
  readonly oldest: number;
  readonly newest: number;
}

export const snapshotFile = (version: number): string => path.join(VERSIONS_FOLDER, `${version}.json`);

/** The stored snapshots by version. */
export function readSnapshots(root: string): ReadonlyMap<number, ContractSchemas> {
  const folder = path.join(root, VERSIONS_FOLDER);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d+\.json$/.test(name)) : [];
  return new Map(
    names.map((name) => [
      Number.parseInt(name, 10),
      JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as ContractSchemas,
    ]),
  );
}

const WHAT_TO_DO =
  'make the change additive, use a new subject, or raise CONTRACT_VERSION (docs/bus.md, "Versions side by side")';

/** Why these contracts must not be released beside existing ones; empty if they may. */
export function versionFaults(
  now: ContractSchemas,
  kept: ReadonlyMap<number, ContractSchemas>,
  { oldest, newest }: Understood,
): string[] {
  const faults: string[] = [];
  if (oldest > newest) faults.push('OLDEST_CONTRACT_VERSION is above CONTRACT_VERSION');
  for (const version of kept.keys())
    if (version < oldest || version > newest)
      faults.push(`${snapshotFile(version)}: this version is no longer understood; remove it`);
  for (let version = oldest; version < newest; version += 1) {
    const former = kept.get(version);
    if (!former) faults.push(`${snapshotFile(version)}: is missing although version ${version} is understood`);
    else faults.push(...notServed(former, now).map((fault) => `version ${version} is understood, but ${fault}`));
  }
  const newestKept = kept.get(newest);
  if (newestKept) faults.push(...notAdditive(newestKept, now).map((fault) => `${fault} (${WHAT_TO_DO})`));
  return faults;
}
