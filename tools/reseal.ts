import { spawn } from 'node:child_process';
import path from 'node:path';
import type { ToolContext } from './start';

const SERVICES = ['verifier', 'issuer', 'wallet-store'];

/**
 * `npm run reseal -- <service>`: reseals all sealed records of a service under the first of its `SEALING_KEYS`, with
 * the environment of that service; in an image it is `main.js reseal`. The exit code is the command's.
 */
export function main({ argv, environment, root }: ToolContext): Promise<number> {
  const [service = ''] = argv;
  if (!SERVICES.includes(service)) {
    process.stdout.write(`usage: npm run reseal -- <${SERVICES.join('|')}>\n`);
    return Promise.resolve(2);
  }
  const entryPoint = path.join(root, 'dist/apps', service, 'main.js');
  const child = spawn(process.execPath, [entryPoint, 'reseal'], { env: { ...environment }, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
