import type { Command } from '../command';
import { chooseService, runServiceCommand } from '../service-program';

export const erase: Command = {
  name: 'erase',
  summary: 'erases a wallet of the wallet store, with everything in it',
  actions: [
    {
      name: '',
      about: 'erases one wallet of a tenant',
      arguments: [],
      options: {
        tenant: { value: 'NAME', required: true, about: 'the tenant that the wallet belongs to' },
        wallet: { value: 'DID', required: true, about: 'the DID of the wallet' },
      },
      run: ({ options: { tenant = '', wallet = '' }, host }) =>
        runServiceCommand(host, {
          service: chooseService(host, 'wallet-store'),
          argv: ['erase', '--tenant', tenant, '--wallet', wallet],
          quiet: true,
        }),
    },
  ],
  about: [
    'Deletes every revision of the credentials, drafts and presentations in the wallet, its private key, and the remembered\n' +
      'answers about it. It cannot be undone. Revoke its credentials first, if they shall not be used any more: afterwards\n' +
      'nothing can. What the wallet presented to other wallets is theirs: erase them, too.',
    'Needs the environment of the wallet store, as when it starts: run it in its container.',
  ],
  examples: [
    [
      'docker compose exec wallet-store vestibule erase --tenant acme --wallet did:key:zDnaeS4e',
      'erases the wallet with this DID',
    ],
    ['vestibule erase --tenant acme --wallet did:key:zDnaeS4e', 'the same in a checkout'],
  ],
};
