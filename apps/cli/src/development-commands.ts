import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Command } from './command';

/** The command of a checkout alone: images are made without `libs/dev`. */
const WALLET = '../libs/dev/wallet-box/src/command.js';

/** Commands for development, where their code is. @param apps the folder with the compiled apps */
export function findDevelopmentCommands(apps: string): readonly Command[] {
  const file = path.resolve(apps, WALLET);
  if (!existsSync(file)) return [];
  const { walletCommand } = createRequire(__filename)(file) as { readonly walletCommand: Command };
  return [walletCommand];
}
