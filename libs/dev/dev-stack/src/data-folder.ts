import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseServerUser, mayWriteIn } from './server-user';
import { StackFailure } from './stack-failure';
import { tryOwnFolder } from './temp-folder';

/**
 * Where `npm start` keeps its data: `.vestibule` in the checkout if the user that runs Postgres has access (not if root
 * runs it in a private home directory), else a folder below the temp directory, named after this checkout.
 * @throws StackFailure `no_data_folder`
 */
export function chooseDataFolder(checkout: string): string {
  const preferred = path.join(checkout, '.vestibule');
  const user = chooseServerUser(path.join(preferred, 'postgres/cluster'));
  if (tryOwnFolder(preferred, user)) return preferred;
  // Survives a reboot, unlike /tmp.
  const areas = ['/var/tmp', tmpdir(), '/tmp'].filter((area) => existsSync(area) && mayWriteIn(user, area));
  const name = `vestibule-${createHash('sha256').update(checkout).digest('hex').slice(0, 12)}`;
  const found = areas.map((area) => path.join(area, name)).find((folder) => tryOwnFolder(folder, user));
  if (found !== undefined) return found;
  throw new StackFailure('no_data_folder', `neither ${preferred} nor a folder below ${areas.join(', ')} can be used`);
}
