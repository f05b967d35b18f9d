import { readFileSync } from 'node:fs';
import { startConsole } from '@vestibule/console-server';
import { buildConsolePage } from './console-page';
import type { ToolContext } from './start';

const print = (text: string) => void process.stdout.write(`${text}\n`);

const untilSignal = () =>
  new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });

/**
 * `npm run console`: the console for a remote installation, which it only reads. MANAGEMENT_URL is its management
 * listener, MANAGEMENT_KEY_FILE has a bearer key, CONSOLE_PORT is where the console listens.
 */
export async function main({ environment, root }: ToolContext): Promise<number> {
  const url = environment['MANAGEMENT_URL'];
  if (!url || !/^https?:\/\/[^/?#]+$/.test(url)) {
    print('MANAGEMENT_URL must be the address of a management listener, for example https://gateway.internal:8081');
    return 2;
  }
  const keyFile = environment['MANAGEMENT_KEY_FILE'];
  const key = keyFile ? readFileSync(keyFile, 'utf8').trim() : undefined;
  const page = buildConsolePage({ root, environment, report: print });
  const console = await startConsole({
    port: Number(environment['CONSOLE_PORT'] || 0),
    management: { url, ...(key === undefined ? {} : { key }) },
    pageFolder: page.folder,
    pageState: () => page.state(),
  });
  print(`console of ${url}, read-only: ${console.url}`);
  await untilSignal();
  await console.stop();
  return 0;
}
