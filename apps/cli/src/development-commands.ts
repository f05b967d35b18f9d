import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Command } from './command';

/** The commands of a checkout alone: images are made without `libs/dev`. */
const MODULES = ['../libs/dev/dev-stack/src/local-command.js', '../libs/dev/wallet-box/src/command.js'];

/** Commands for development, where their code is. @param apps the folder with the compiled apps */
export function findDevelopmentCommands(apps: string): readonly Command[] {
  const files = MODULES.map((module) => path.resolve(apps, module)).filter((file) => existsSync(file));
  return files.flatMap((file) => Object.values(createRequire(__filename)(file) as Readonly<Record<string, Command>>));
}
