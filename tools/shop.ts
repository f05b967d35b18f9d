import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { chooseDataFolder, type StackSecrets } from '@vestibule/dev-stack';
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

/** `npm run shop`: the sample backend, beside `npm start`. SHOP_PORT, VESTIBULE_URL and DATA_FOLDER configure it. */
export async function main({ environment, root }: ToolContext): Promise<number> {
  const port = Number(environment['SHOP_PORT'] || 3000);
  const file = path.join(environment['DATA_FOLDER'] || chooseDataFolder(root), 'config/secrets.json');
  if (!existsSync(file)) {
    print(`${file} does not exist: run npm start first, with the same DATA_FOLDER`);
    return 2;
  }
  const { callbackSecret } = JSON.parse(readFileSync(file, 'utf8')) as StackSecrets;
  const url = `http://127.0.0.1:${port}`;
  const vestibuleUrl = environment['VESTIBULE_URL'] || 'http://127.0.0.1:8081';
  const shop = createShop({ url, vestibuleUrl, callbackSecret, webFolder: packWeb(root) });
  await shop.listen({ port, host: '127.0.0.1' });
  print(`the shop is open: ${url}`);
  await untilSignal();
  await shop.close();
  return 0;
}
