import type { Command } from '../command';
import { chooseService, runServiceCommand, SERVICE_ARGUMENT } from '../service-program';

export const migrate: Command = {
  name: 'migrate',
  summary: 'brings the database schema of a service to this release',
  actions: [
    {
      name: '',
      about: 'runs the migrations of the service that are still missing',
      arguments: [SERVICE_ARGUMENT],
      options: {},
      run: ({ arguments: { service }, host }) =>
        runServiceCommand(host, { service: chooseService(host, service), argv: ['migrate'] }),
    },
  ],
  about: [
    'A service also runs its migrations when it starts. Use this command before a rollout, or where the role of the\n' +
      'service may not change its schema: set MIGRATION_DATABASE_URL to the owner of the schema.',
    'The service needs its whole environment, as when it starts. In the image of a service, <service> may be left out.\n' +
      'Running it again does no harm.',
  ],
  examples: [
    ['docker compose run --rm verifier-migrate vestibule migrate', 'migrates the schema of the verifier'],
    ['vestibule migrate wallet-store', 'in a checkout, with the environment of the wallet store'],
  ],
};
