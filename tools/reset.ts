import { chooseDataFolder, removeData } from '@vestibule/dev-stack';
import type { ToolContext } from './start';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/**
 * `npm run reset`: deletes the data of `npm start`, in DATA_FOLDER or the folder that it chooses by itself. Servers that
 * were given by DATABASE_URL and NATS_URL keep theirs.
 */
export function main({ environment, root }: ToolContext): number {
  const folder = environment['DATA_FOLDER'] || chooseDataFolder(root);
  const removed = removeData(folder);
  for (const file of removed) print(`deleted ${file}`);
  print(removed.length === 0 ? `nothing to delete in ${folder}` : '"npm start" begins anew');
  return 0;
}
