import type { Fault } from '@vestibule/foundation';
import { type Configuration, optionalVariable, variable } from './configuration';
import { natsUrlsSetting, nkeySeedSetting, textSetting } from './settings';

const category = 'NATS';

/** How a process connects to NATS, and its login. */
export const natsVariables = {
  natsUrls: variable('NATS_URL', natsUrlsSetting(), {
    category,
    description:
      'Comma-separated NATS servers of one cluster, all nats:// or all tls://; their max_payload must be at least 2 MB. tls:// requires TLS, also from servers that the cluster announces later. May contain a user and password',
    secret: true,
  }),
  natsCaFile: optionalVariable('NATS_CA_FILE', textSetting(), {
    category,
    description:
      'PEM file with the certification authorities of the NATS servers, for tls:// only. If not set, the public ones are trusted',
  }),
  natsCertificateFile: optionalVariable('NATS_CERTIFICATE_FILE', textSetting(), {
    category,
    description: 'PEM file with a client certificate and its intermediates, for NATS servers that require one',
  }),
  natsKeyFile: optionalVariable('NATS_KEY_FILE', textSetting(), {
    category,
    description: 'PEM file with the private key of the client certificate',
  }),
  natsUser: optionalVariable('NATS_USER', textSetting(), {
    category,
    description: 'User of this process on NATS; requires NATS_PASSWORD',
  }),
  natsPassword: optionalVariable('NATS_PASSWORD', textSetting(), {
    category,
    description: 'Password of that user',
    secret: true,
  }),
  natsToken: optionalVariable('NATS_TOKEN', textSetting(), {
    category,
    description: 'Token, instead of a user',
    secret: true,
  }),
  natsNkeySeed: optionalVariable('NATS_NKEY_SEED', nkeySeedSetting(), {
    category,
    description: 'Seed of a user nkey (SU…), instead of a user and password',
    secret: true,
  }),
  natsCredsFile: optionalVariable('NATS_CREDS_FILE', textSetting(), {
    category,
    description: 'File with the JWT and seed of a user (.creds), instead of a user and password',
  }),
};

export type NatsConfiguration = Configuration<typeof natsVariables>;

/** A user and password, or a token. */
export interface UrlLogin {
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
}

/** The login in a NATS URL: `user:password@`, or `token@`; undefined if there is none. */
export function readUrlLogin(server: string): UrlLogin | undefined {
  const { username, password } = new URL(server);
  if (username === '' && password === '') return undefined;
  const name = decodeURIComponent(username);
  return password === '' ? { token: name } : { user: name, password: decodeURIComponent(password) };
}

/** Does the configuration require TLS? */
export const demandsTls = (servers: readonly string[]): boolean =>
  servers.some((server) => server.toLowerCase().startsWith('tls:'));

function pairFaults(configuration: NatsConfiguration): Fault[] {
  const { natsUser, natsPassword, natsCertificateFile, natsKeyFile } = configuration;
  const pairs = [
    ['NATS_USER', natsUser, 'NATS_PASSWORD', natsPassword],
    ['NATS_CERTIFICATE_FILE', natsCertificateFile, 'NATS_KEY_FILE', natsKeyFile],
  ] as const;
  return pairs.flatMap(([first, one, second, other]) => {
    if ((one === undefined) === (other === undefined)) return [];
    const [path, given] = one === undefined ? [first, second] : [second, first];
    return [{ path, message: `is missing, but ${given} is set` }];
  });
}

function loginFaults({ natsUrls, ...given }: NatsConfiguration): Fault[] {
  const inUrls = natsUrls.map(readUrlLogin).filter((login) => login !== undefined);
  const different = new Set(inUrls.map((login) => JSON.stringify(login)));
  if (different.size > 1) return [{ path: 'NATS_URL', message: 'must have the same user and password in every URL' }];
  const ways = [
    ...(inUrls.length > 0 ? ['NATS_URL'] : []),
    ...(given.natsUser === undefined ? [] : ['NATS_USER']),
    ...(given.natsToken === undefined ? [] : ['NATS_TOKEN']),
    ...(given.natsNkeySeed === undefined ? [] : ['NATS_NKEY_SEED']),
    ...(given.natsCredsFile === undefined ? [] : ['NATS_CREDS_FILE']),
  ];
  return ways.slice(1).map((path) => ({ path, message: `is one login too many: ${ways[0]} has one already` }));
}

function tlsFaults({ natsUrls, natsCaFile, natsCertificateFile }: NatsConfiguration): Fault[] {
  if (demandsTls(natsUrls)) return [];
  const set = [
    ...(natsCaFile === undefined ? [] : ['NATS_CA_FILE']),
    ...(natsCertificateFile === undefined ? [] : ['NATS_CERTIFICATE_FILE']),
  ];
  return set.map((path) => ({ path, message: 'has no effect without TLS: use tls:// in NATS_URL' }));
}

/** Faults of the NATS variables in combination: two logins, an incomplete login, TLS files without TLS. */
export function natsFaults(configuration: NatsConfiguration): readonly Fault[] {
  return [...pairFaults(configuration), ...loginFaults(configuration), ...tlsFaults(configuration)];
}
