import { readCommandLine } from './command-line';
import { COMMANDS } from './commands';
import { renderCommandHelp, renderHelp } from './help';

const LONGEST = 120;

describe('the help', () => {
  it('names every command with what it does, and the exit codes', () => {
    const text = renderHelp(COMMANDS).join('\n');
    for (const { name, summary } of COMMANDS)
      expect(text).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 10)}`, 'm'));
    expect(text).toMatch(/exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 /);
  });

  it.each(COMMANDS)('of $name shows its actions, options, examples and exit codes', (command) => {
    const lines = renderCommandHelp(command);
    const text = lines.join('\n');
    expect(command.examples.length).toBeGreaterThan(1);
    for (const { name, about, options } of command.actions) {
      expect(text).toContain(`vestibule ${command.name}${name === '' ? '' : ` ${name}`}`);
      expect(text).toContain(about);
      for (const option of Object.keys(options)) expect(text).toMatch(new RegExp(`^  --${option}\\b`, 'm'));
    }
    expect(text).toContain('exit codes:');
    expect(text.split('\n').filter((line) => line.length > LONGEST)).toEqual([]);
  });

  const examples = COMMANDS.flatMap(({ examples: ofCommand }) => ofCommand.map(([line]) => line));
  it.each(examples)('has examples that can be run: %s', (line) => {
    const [, argv = ''] = /(?:^|^docker compose (?:exec|run --rm) [a-z-]+ )vestibule (.*)$/.exec(line) ?? [];
    expect(readCommandLine(argv.split(' '), COMMANDS).kind).toBe('run');
  });
});
