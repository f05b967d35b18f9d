import type { Command, Input, Option } from '../command';
import { chooseService, runServiceCommand, SERVICE_ARGUMENT } from '../service-program';

const head = (about: string): Option => ({ value: 'HEAD', about });

function run({ arguments: { service }, options, host }: Input): Promise<number> {
  const passedOn = Object.entries(options).flatMap(([name, value]) => [`--${name}`, ...(value === '' ? [] : [value])]);
  const argv = ['audit', ...passedOn];
  return runServiceCommand(host, { service: chooseService(host, service), argv, quiet: true });
}

export const audit: Command = {
  name: 'audit',
  summary: 'shows who revoked, cancelled, dropped or made what, and verifies that nobody has changed that record',
  actions: [
    {
      name: '',
      about: 'prints the audit trail of the service, one JSON object for each record, or verifies it',
      arguments: [SERVICE_ARGUMENT],
      options: {
        verify: { about: 'verify the chain and print the number of records and the head, <seq>:<hash>' },
        'expect-head': head('with --verify: a head that was noted earlier must be in the chain'),
        after: head('begin after this head, which is trusted'),
      },
      run,
    },
  ],
  about: [
    'Each service records what backends and operators do in a table of its own, in the transaction that does it. The chain of\n' +
      'hashes shows a record that was changed, deleted or inserted. Only a head that was noted elsewhere shows that the end\n' +
      'was cut off, or that the whole chain was rewritten. See docs/audit.md.',
    'The service needs its whole environment, as when it starts. In the image of a service, <service> may be left out.',
  ],
  examples: [
    ['docker compose exec issuer vestibule audit', 'the audit trail of the issuer'],
    ['docker compose exec issuer vestibule audit --verify', 'whether it is whole, and its head'],
    ['vestibule audit verifier', 'in a checkout, with the environment of the verifier'],
  ],
};
