import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localCommand } from '@vestibule/dev-stack';
import { walletCommand } from '@vestibule/wallet-box';
import type { Command } from './command';
import { readCommandLine } from './command-line';
import { COMMANDS } from './commands';
import { findDevelopmentCommands } from './development-commands';
import { renderCommandHelp } from './help';

/** What the command of the development library is, checked by the compiler. */
const wallet: Command = walletCommand;
const local: Command = localCommand;

describe('the command for development', () => {
  it('is absent where its code is not, as in an image', () => {
    expect(findDevelopmentCommands(tmpdir())).toEqual([]);
  });

  it('is on the page of the command, as all others are', () => {
    const page = readFileSync(path.resolve(__dirname, '../../../docs/operator-command.md'), 'utf8');
    const names = [...COMMANDS, wallet, local].map(({ name }) => name);
    expect(names.filter((name) => !new RegExp(`\`${name}[\` ]`).test(page))).toEqual([]);
  });

  it('can be used as its examples say, and its help fits a terminal', () => {
    for (const command of [wallet, local]) {
      for (const [line] of command.examples) {
        const argv = line
          .replace(/^eval "\$\(npx |\)"$|'/g, '')
          .split(' ')
          .slice(1);
        expect(readCommandLine(argv, [...COMMANDS, wallet, local]).kind).toBe('run');
      }
      const lines = renderCommandHelp(command).join('\n').split('\n');
      expect(lines.filter((line) => line.length > 120)).toEqual([]);
    }
  });

  it('lists each case with how it must end', async () => {
    const [, , cases] = wallet.actions;
    const lines: string[] = [];
    const host = {
      environment: {},
      apps: '',
      read: () => Promise.resolve(''),
      paint: () => undefined,
      report: () => undefined,
    };
    const code = await cases?.run({ arguments: {}, options: {}, host: { ...host, print: (line) => lines.push(line) } });
    expect(code).toBe(0);
    expect(lines).toContain('present\twrong-nonce\trefused\tproves its key for another request');
    expect(lines).toContain('redeem\twrong-tx-code\trefused\tsends a wrong transaction code');
  });
});
