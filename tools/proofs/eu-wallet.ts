import path from 'node:path';
import type { ToolContext } from '../start';
import { compileWallet } from './eu-wallet/eu-wallet-process';
import { ISSUANCE } from './eu-wallet/issuance-scenarios';
import { PRESENTATION } from './eu-wallet/presentation-scenarios';
import { startWorld } from './eu-wallet/world';

const print = (text: string) => void process.stdout.write(`${text}\n`);
const NOT_COMPILED =
  'the wallet was not compiled: it needs JDK 17, Maven and the libraries of tools/proofs/eu-wallet/pom.xml';

/**
 * `node tools/run.cjs proofs/eu-wallet`: a wallet made of the libraries of the EU reference wallet, as they are, gets
 * credentials and presents them. Exit code 1 for anything that is not as it should be, and where it cannot be compiled.
 */
export async function main({ argv, root }: ToolContext): Promise<number> {
  if (argv.length > 0) {
    print('usage: node tools/run.cjs proofs/eu-wallet');
    return 2;
  }
  const folder = path.join(root, 'tools/proofs/eu-wallet');
  const classPath = compileWallet(folder, path.join(root, 'node_modules/.cache/eu-wallet'));
  if (classPath === undefined) {
    print(NOT_COMPILED);
    return 1;
  }
  const world = await startWorld(classPath);
  let failed = 0;
  try {
    for (const { name, run } of [...ISSUANCE, ...PRESENTATION]) {
      const fault = await run(world).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (fault !== undefined) failed += 1;
      print(fault === undefined ? `as it should be: ${name}` : `NOT AS IT SHOULD BE: ${name}\n${fault}`);
    }
  } finally {
    await world.stop();
  }
  print(`${ISSUANCE.length + PRESENTATION.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
