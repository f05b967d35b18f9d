import type { Command, Host, Option } from '../command';
import { chooseService, runServiceCommand } from '../service-program';

const TENANT: Option = { value: 'NAME', about: 'the tenant: 1 to 63 characters of a-z, 0-9 and -, not at the ends' };

function run(host: Host, argv: readonly string[]): Promise<number> {
  const service = chooseService(host, 'wallet-store');
  return runServiceCommand(host, { service, argv: ['api-keys', ...argv], quiet: true });
}

const passedOn = (options: Readonly<Record<string, string>>) =>
  Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);

export const apiKeys: Command = {
  name: 'api-keys',
  summary: 'makes, lists and revokes API keys of tenants (X-API-KEY of the wallet content API)',
  actions: [
    {
      name: 'create',
      about: 'makes a key, and the tenant if it is new; the key is shown only once',
      arguments: [],
      options: { tenant: { ...TENANT, required: true } },
      run: ({ options, host }) => run(host, ['create', ...passedOn(options)]),
    },
    {
      name: 'list',
      about: 'lists id, tenant, time and state of the keys of one tenant, or of all',
      arguments: [],
      options: { tenant: TENANT },
      run: ({ options, host }) => run(host, ['list', ...passedOn(options)]),
    },
    {
      name: 'revoke',
      about: 'revokes a key permanently; it stops working immediately',
      arguments: [],
      options: { id: { value: 'ID', required: true, about: 'the id of the key, as list shows it' } },
      run: ({ options, host }) => run(host, ['revoke', ...passedOn(options)]),
    },
  ],
  about: [
    'Needs the environment of the wallet store, as when it starts: run it in its container. The columns of the output are\n' +
      'separated by tabs. Only the digest of a key is stored.',
  ],
  examples: [
    ['docker compose exec wallet-store vestibule api-keys create --tenant acme', 'makes a key for the tenant acme'],
    ['vestibule api-keys list --tenant acme', 'lists its keys'],
    ['vestibule api-keys revoke --id 3f9a0c5d1e7b2468', 'revokes one'],
  ],
};
