import fc from 'fast-check';
import { type Input, UsageError } from './command';
import { readCommandLine } from './command-line';
import { COMMANDS } from './commands';

const read = (line: string) => readCommandLine(line.split(' ').filter(Boolean), COMMANDS);
function refusal(line: string): string {
  try {
    return `accepted: ${read(line).kind}`;
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
}
function inputOf(line: string): Omit<Input, 'host'> {
  const request = read(line);
  if (request.kind !== 'run') throw new Error(`no action: ${request.kind}`);
  return request.input;
}

describe('a command line', () => {
  it.each<[string, Omit<Input, 'host'>]>([
    ['migrate', { arguments: {}, options: {} }],
    ['migrate verifier', { arguments: { service: 'verifier' }, options: {} }],
    ['api-keys create --tenant acme', { arguments: {}, options: { tenant: 'acme' } }],
    ['api-keys create --tenant=acme', { arguments: {}, options: { tenant: 'acme' } }],
    ['callbacks list issuer --json', { arguments: { service: 'issuer' }, options: { json: '' } }],
    ['callbacks list --json issuer', { arguments: { service: 'issuer' }, options: { json: '' } }],
    ['callbacks drop issuer an-id', { arguments: { service: 'issuer', id: 'an-id' }, options: {} }],
    ['callbacks drop issuer -- --id', { arguments: { service: 'issuer', id: '--id' }, options: {} }],
  ])('%s', (line, input) => {
    expect(inputOf(line)).toEqual(input);
  });

  it.each([
    ['', 'a command is required'],
    ['migate', 'unknown command: migate; did you mean migrate?'],
    ['Callbacks', 'unknown command: Callbacks; did you mean callbacks?'],
    [
      'deploy',
      'unknown command: deploy; known: doctor, keys, csr, callbacks, migrate, reseal, audit, api-keys, erase, qr',
    ],
    [
      'constructor',
      'unknown command: constructor; known: doctor, keys, csr, callbacks, migrate, reseal, audit, api-keys, erase, qr',
    ],
    ['callbacks', 'callbacks needs an action: list, retry, replay, drop, test'],
    ['callbacks repaly verifier', 'unknown action of callbacks: repaly; did you mean replay?'],
    ['callbacks list', '<service> is missing: verifier or issuer'],
    ['callbacks list verfier', 'unknown service: verfier; did you mean verifier?'],
    ['callbacks list wallet-store', 'unknown service: wallet-store; known: verifier, issuer'],
    ['callbacks list verifier now', 'unexpected word: now'],
    ['callbacks drop verifier', '<id> is missing'],
    ['migrate verifier issuer', 'unexpected word: issuer'],
    ['api-keys create --tenent acme', 'unknown option: --tenent; did you mean --tenant?'],
    ['api-keys create --id acme', 'unknown option: --id; known: --tenant'],
    ['api-keys create --toString acme', 'unknown option: --toString; known: --tenant'],
    ['api-keys create', '--tenant is missing'],
    ['api-keys create --tenant', '--tenant needs a value: --tenant NAME'],
    ['api-keys create --tenant=', '--tenant needs a value: --tenant NAME'],
    ['api-keys create --tenant a --tenant b', '--tenant is there twice'],
    ['callbacks list verifier --json=yes', '--json takes no value'],
    ['migrate --force', 'unknown option: --force; there are none here'],
    ['--verison', 'unknown option: --verison; did you mean --version?'],
    ['-x', 'unknown option: -x; known: --help, --version'],
  ])('that is wrong says why, and what was meant: %s', (line, message) => {
    expect(refusal(line)).toBe(message);
  });

  it.each([
    ['--help', undefined],
    ['-h', undefined],
    ['help', undefined],
    ['help reseal', 'reseal'],
    ['reseal --help', 'reseal'],
    ['reseal verifier -h', 'reseal'],
    ['callbacks list --help', 'callbacks'],
  ])('asks for help: %s', (line, name) => {
    const request = read(line);
    expect([request.kind, request.kind === 'help' ? request.command?.name : '']).toEqual(['help', name]);
  });

  it('of any words is read, or refused with a sentence', () => {
    const known = COMMANDS.flatMap(({ name, actions }) => [name, ...actions.map((action) => action.name)]);
    const options = COMMANDS.flatMap(({ actions }) => actions.flatMap((action) => Object.keys(action.options)));
    const word = fc.oneof(
      fc.constantFrom(
        ...known,
        'verifier',
        '--',
        '-',
        '--help',
        '__proto__',
        '--__proto__',
        ...options.map((o) => `--${o}`),
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        try {
          expect(['help', 'version', 'run']).toContain(readCommandLine(argv, COMMANDS).kind);
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
    );
  });
});
