import {
  type Authenticator,
  credsAuthenticator,
  nkeyAuthenticator,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import {
  ConfigurationFault,
  demandsTls,
  type NatsConfiguration,
  readConfigurationFile,
  readUrlLogin,
} from '@vestibule/process';

/** The PEM strings for TLS; Node's defaults apply for absent ones. */
export interface NatsTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The servers of NATS, and the login. */
export interface NatsAccess {
  /** `nats://host:4222` or `tls://host:4222`, one or several of the same cluster; without user information. */
  readonly servers: readonly string[];
  /** Present if TLS is required. */
  readonly tls?: NatsTls;
  readonly login?: NatsLogin;
}

export interface NatsLogin {
  /** The variables that it comes from, for error messages; never a secret. */
  readonly origin: string;
  readonly authenticator: Authenticator;
}

function readFile(variable: string, file: string): Buffer {
  return readConfigurationFile(
    file,
    (reason) => new ConfigurationFault([{ path: variable, message: `${file} ${reason}` }]),
  );
}

function withoutLogin(server: string): string {
  const url = new URL(server);
  return `${url.protocol}//${url.host}`;
}

function readTls({ natsUrls, ...files }: NatsConfiguration): { tls?: NatsTls } {
  if (!demandsTls(natsUrls)) return {};
  const read = (name: string, variable: string, file: string | undefined) =>
    file === undefined ? {} : { [name]: readFile(variable, file).toString('utf8') };
  return {
    tls: {
      ...read('ca', 'NATS_CA_FILE', files.natsCaFile),
      ...read('cert', 'NATS_CERTIFICATE_FILE', files.natsCertificateFile),
      ...read('key', 'NATS_KEY_FILE', files.natsKeyFile),
    },
  };
}

/** An authenticator that cannot sign now never will: the client library would close the connection permanently. */
function tried(variable: string, authenticator: Authenticator): Authenticator {
  try {
    authenticator('nonce');
    return authenticator;
  } catch {
    throw new ConfigurationFault([{ path: variable, message: 'has no usable key' }]);
  }
}

function findUrlLogin({ natsUrls }: NatsConfiguration): NatsLogin | undefined {
  const login = natsUrls.map(readUrlLogin).find((found) => found !== undefined);
  if (login?.user !== undefined) {
    const authenticator = usernamePasswordAuthenticator(login.user, login.password);
    return { origin: 'the user in NATS_URL', authenticator };
  }
  if (login?.token === undefined) return undefined;
  return { origin: 'the token in NATS_URL', authenticator: tokenAuthenticator(login.token) };
}

function findLogin(configuration: NatsConfiguration): NatsLogin | undefined {
  const { natsUser, natsPassword, natsToken, natsNkeySeed, natsCredsFile } = configuration;
  if (natsUser !== undefined) {
    const authenticator = usernamePasswordAuthenticator(natsUser, natsPassword);
    return { origin: 'NATS_USER and NATS_PASSWORD', authenticator };
  }
  if (natsToken !== undefined) return { origin: 'NATS_TOKEN', authenticator: tokenAuthenticator(natsToken) };
  if (natsNkeySeed !== undefined) {
    const authenticator = nkeyAuthenticator(Buffer.from(natsNkeySeed));
    return { origin: 'NATS_NKEY_SEED', authenticator: tried('NATS_NKEY_SEED', authenticator) };
  }
  if (natsCredsFile === undefined) return findUrlLogin(configuration);
  const authenticator = credsAuthenticator(readFile('NATS_CREDS_FILE', natsCredsFile));
  return { origin: 'NATS_CREDS_FILE', authenticator: tried('NATS_CREDS_FILE', authenticator) };
}

/**
 * Reads the files that the NATS variables refer to, once.
 * @throws ConfigurationFault for an unreadable file, and for a seed or credentials that cannot sign
 */
export function readNatsAccess(configuration: NatsConfiguration): NatsAccess {
  const login = findLogin(configuration);
  return {
    servers: configuration.natsUrls.map(withoutLogin),
    ...readTls(configuration),
    ...(login ? { login } : {}),
  };
}
