import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { StackSecrets } from './stack-files';
import { StackFailure } from './stack-failure';
import { writePrivate } from './write-private';

/** The file in a data folder that says where its stack listens, while it runs. */
export const RUNNING_FILE = 'running.json';

/** Where a running stack is reached. */
export interface RunningAddresses {
  readonly managementUrl: string;
  readonly baseUrl: string;
  readonly issuerUrl: string;
  /** Where a backend on this machine may receive callbacks. */
  readonly backendUrl: string;
}

/** A running stack, with what its backend needs. */
export interface RunningStack extends RunningAddresses {
  readonly configFolder: string;
  readonly secrets: StackSecrets;
}

/** Says in the data folder where its stack listens. */
export function writeRunning(folder: string, addresses: RunningAddresses): void {
  writePrivate(path.join(folder, RUNNING_FILE), `${JSON.stringify(addresses, null, 2)}\n`);
}

/** The stack has ended. */
export function forgetRunning(folder: string): void {
  rmSync(path.join(folder, RUNNING_FILE), { force: true });
}

/**
 * The stack of a data folder, as it was when it became ready. It may have been killed since.
 * @throws StackFailure `not_running`
 */
export function readRunning(folder: string): RunningStack {
  const file = path.join(folder, RUNNING_FILE);
  const configFolder = path.join(folder, 'config');
  const secretsFile = path.join(configFolder, 'secrets.json');
  if (!existsSync(file) || !existsSync(secretsFile)) {
    throw new StackFailure('not_running', `nothing runs in ${folder}: start it with "npm start", in another terminal`);
  }
  const addresses = JSON.parse(readFileSync(file, 'utf8')) as RunningAddresses;
  const secrets = JSON.parse(readFileSync(secretsFile, 'utf8')) as StackSecrets;
  return { ...addresses, configFolder, secrets };
}
