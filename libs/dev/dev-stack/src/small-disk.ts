import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';

/** A separate file system for the tables of Postgres, which can be filled up. */
export interface SmallDisk {
  /** For `CREATE TABLESPACE`. */
  readonly folder: string;
  /** Leaves no free page. */
  fill(): void;
  empty(): void;
  unmount(): void;
}

const MEBIBYTES = 256;
const run = (command: string, ...args: string[]) => void execFileSync(command, args, { stdio: 'ignore' });

/**
 * Mounts a tmpfs of 256 MiB at `folder`, owned like `dataFolder`; undefined if this process may not mount: only root
 * may, and not in every container.
 */
export function mountSmallDisk(folder: string, dataFolder: string): SmallDisk | undefined {
  mkdirSync(folder);
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${MEBIBYTES}m,mode=0711`, 'tmpfs', folder);
  } catch {
    return undefined;
  }
  const tables = path.join(folder, 'tables');
  mkdirSync(tables, { mode: 0o700 });
  const { uid, gid } = statSync(dataFolder);
  chownSync(tables, uid, gid);
  const filler = path.join(folder, 'filler');
  return {
    folder: tables,
    fill() {
      try {
        run('dd', 'if=/dev/zero', `of=${filler}`, 'bs=4096');
      } catch {
        // It fails when the disk is full, which is the purpose.
      }
    },
    empty: () => rmSync(filler, { force: true }),
    unmount: () => run('umount', folder),
  };
}

/** Moves a database to another file system; it must have no open connections. @param adminUrl of the superuser, in another database */
export async function moveDatabase(adminUrl: string, database: string, folder: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
    await client.query(`ALTER DATABASE ${database} SET TABLESPACE small`);
  } finally {
    await client.end();
  }
}
