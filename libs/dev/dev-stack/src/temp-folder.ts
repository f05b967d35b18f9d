import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mayEnter, mayWriteIn, type ServerUser } from './server-user';
import { StackFailure } from './stack-failure';

/** The first temp folder that `user` can use; the configured one may be below a private home directory. */
export function findTempFolder(
  user: ServerUser,
  candidates: readonly string[] = [tmpdir(), '/tmp', '/var/tmp'],
): string {
  const found = candidates.find((folder) => mayWriteIn(user, folder));
  if (found !== undefined) return found;
  throw new StackFailure(
    'no_temp_folder',
    `${user.name} can write in none of ${candidates.join(', ')}: set TMPDIR to a folder that it can use`,
  );
}

/** A new, empty folder that only `user` can read. */
export function makePrivateFolder(user: ServerUser, prefix: string): string {
  const folder = mkdtempSync(path.join(findTempFolder(user), prefix));
  chmodSync(folder, 0o700);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid ?? user.uid);
  return folder;
}

/**
 * In a world-writable place, a folder with a predictable name is used only if it is ours: a real folder, owned by this
 * user, not writable for others.
 * @throws StackFailure `foreign_folder`
 */
export function requireOwnFolder(folder: string): void {
  const stats = lstatSync(folder);
  const ours = stats.isDirectory() && (process.getuid === undefined || stats.uid === process.getuid());
  if (ours && (stats.mode & 0o022) === 0) return;
  const remedy = 'start as its owner, or use another folder';
  throw new StackFailure('foreign_folder', `${folder} belongs to another user or is writable by others: ${remedy}`);
}

/**
 * Creates `folder` if it does not exist (0755, so that a server user can pass through it) and requires that it is ours.
 */
export function ensureOwnFolder(folder: string): void {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    chmodSync(folder, 0o755);
  }
  requireOwnFolder(folder);
}

/** {@link ensureOwnFolder}, but returns false if it cannot be created or `user` cannot enter it. */
export function tryOwnFolder(folder: string, user: ServerUser): boolean {
  try {
    ensureOwnFolder(folder);
  } catch (error) {
    if (error instanceof StackFailure || (error as NodeJS.ErrnoException).code !== undefined) return false;
    throw error;
  }
  return mayEnter(user, folder);
}
