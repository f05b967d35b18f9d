import { createRequire } from 'node:module';
import type { Command } from '../command';
import type * as KeyActions from '../key-actions';
import { MANAGEMENT_OPTIONS } from '../management';

const KINDS = ['callback-key', 'callback-secret', 'sealing', 'management'];

/** Loaded when it is needed: what it stands on takes a second to load, and no other command uses it. */
const loadActions = () => createRequire(__filename)('../key-actions') as typeof KeyActions;

export const keys: Command = {
  name: 'keys',
  summary: 'shows the public keys of callbacks, and makes new keys and secrets',
  actions: [
    {
      name: 'list',
      about: 'asks the running services which keys sign their callbacks',
      arguments: [],
      options: MANAGEMENT_OPTIONS,
      run: async (input) => loadActions().listKeys(input),
    },
    {
      name: 'public',
      about: 'shows the public keys of CALLBACK_SECRETS in this environment, without a running service',
      arguments: [],
      options: {},
      run: async (input) => loadActions().showPublicKeys(input),
    },
    {
      name: 'marks',
      about: 'shows the mark of each raw key in SEALING_KEYS of this environment, for the file of a wrapped key',
      arguments: [],
      options: {},
      run: async (input) => loadActions().showMarks(input),
    },
    {
      name: 'new',
      about: `makes a key and prints it, once; nothing is stored: ${KINDS.join(', ')}`,
      arguments: [{ name: 'kind', required: true, choices: KINDS }],
      options: {},
      run: async (input) => loadActions().makeKey(input),
    },
  ],
  about: [
    'Callbacks are signed with shared secrets (v1, whsec_) and Ed25519 keys (v1a, whsk_). Receivers verify the latter with\n' +
      'the public key, whpk_, which is no secret; list and public show it. Neither shows a secret.',
    'A mark tells sealing keys apart and is no secret: a key that a device wrapped has its mark in its file\n' +
      '(docs/keys.md).',
    'new prints each key with the variable that it belongs to: callback-key (Ed25519) and callback-secret for\n' +
      'CALLBACK_SECRETS, sealing for SEALING_KEYS, management for MANAGEMENT_KEY_DIGESTS. To replace a key while the services\n' +
      'run, see docs/key-rotation.md.',
  ],
  examples: [
    ['docker compose exec gateway vestibule keys list', 'the keys that receivers need, of each service'],
    ['docker compose exec issuer vestibule keys public', 'the same from the configuration of one service'],
    ['vestibule keys new callback-key', 'a new Ed25519 key pair for callbacks'],
  ],
};
