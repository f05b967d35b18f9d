import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { chooseDataFolder, readRunning, StackFailure, type RunningStack } from '@vestibule/dev-stack';
import { createShop } from '@vestibule/example-shop';
import type { ToolContext } from './start';

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Builds @vestibule/web, which browsers load; returns its folder. */
export function packWeb(root: string): string {
  const folder = path.join(root, 'dist/web');
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, 'tools/pack-web.cjs'), folder]);
  if (status !== 0) throw new Error(`@vestibule/web cannot be built: ${String(stderr)}`);
  return folder;
}

const untilSignal = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });

/** The type of the card that the shop offers: a data folder of an older version gets it at the next `npm start`. */
const CARD = 'loyalty-card';

/** The stack of npm start, or what keeps the shop closed. */
function findStack(folder: string): RunningStack | string {
  try {
    const stack = readRunning(folder);
    const hasCard = existsSync(path.join(stack.configFolder, 'types', `${CARD}.json`));
    return hasCard ? stack : `${folder} has no type ${CARD}: stop "npm start" and start it again, or "npm run reset"`;
  } catch (error) {
    if (error instanceof StackFailure) return error.detail;
    throw error;
  }
}

/** `npm run shop`: the sample backend, beside `npm start`. SHOP_PORT, VESTIBULE_URL and DATA_FOLDER configure it. */
export async function main({ environment, root }: ToolContext): Promise<number> {
  const stack = findStack(environment['DATA_FOLDER'] || chooseDataFolder(root));
  if (typeof stack === 'string') {
    print(stack);
    return 2;
  }
  const url = environment['SHOP_PORT'] ? `http://127.0.0.1:${environment['SHOP_PORT']}` : stack.backendUrl;
  const vestibuleUrl = environment['VESTIBULE_URL'] || stack.managementUrl;
  const { callbackSecret } = stack.secrets;
  const shop = createShop({ url, vestibuleUrl, callbackSecret, webFolder: packWeb(root) });
  await shop.listen({ port: Number(new URL(url).port), host: '127.0.0.1' });
  print(`the shop is open: ${url}`);
  await untilSignal();
  await shop.close();
  return 0;
}
