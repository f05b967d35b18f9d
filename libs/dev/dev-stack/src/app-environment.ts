import path from 'node:path';
import { type DatabaseService } from './provision-database';
import { type StackFiles } from './stack-files';

/** The four programs of a stack. */
export const APP_NAMES = ['verifier', 'issuer', 'wallet-store', 'gateway'] as const;
export type AppName = (typeof APP_NAMES)[number];

/** The settings from which the environment of the apps is derived. */
export interface AppSettings {
  readonly natsUrl: string;
  readonly databaseUrls: Readonly<Record<DatabaseService, string>>;
  readonly baseUrl: string;
  readonly issuerUrl: string;
  readonly callbackUrl: string;
  readonly managementPort: number;
  readonly publicPort: number;
  readonly files: StackFiles;
  /** Callbacks are signed with the secret of the files. */
  readonly signsCallbacks?: boolean;
  /** Further hosts that the verifier may fetch from over http. */
  readonly developmentHosts?: readonly string[];
}

export type Environment = Readonly<Record<string, string>>;

const LOOPBACK = '127.0.0.1';

/** The environment of each app: the only place with all names. */
export function appEnvironment(app: AppName, settings: AppSettings): Environment {
  const { files, natsUrl, databaseUrls, baseUrl, issuerUrl, callbackUrl } = settings;
  const all = { NATS_URL: natsUrl, LOG_LEVEL: 'info' };
  // Any port: each process reports its own.
  const health = { HEALTH_HOST: LOOPBACK, HEALTH_PORT: '0' };
  const service = { ...all, ...health, SEALING_KEYS: files.secrets.sealingKey };
  const callbacks: Environment = settings.signsCallbacks ? { CALLBACK_SECRETS: files.secrets.callbackSecret } : {};
  const table: Readonly<Record<AppName, Environment>> = {
    verifier: {
      ...service,
      ...callbacks,
      DATABASE_URL: databaseUrls.verifier,
      BASE_URL: baseUrl,
      CALLBACK_URL: callbackUrl,
      ACCESS_CERTIFICATE_FILE: path.join(files.folder, 'verifier.pem'),
      ACCESS_KEY_FILE: path.join(files.folder, 'verifier-key.pem'),
      TRUST_FILE: path.join(files.folder, 'trust.json'),
      EGRESS_DEVELOPMENT_HOSTS: [new URL(issuerUrl).host, ...(settings.developmentHosts ?? [])].join(','),
    },
    issuer: {
      ...service,
      ...callbacks,
      DATABASE_URL: databaseUrls.issuer,
      ISSUER_URL: issuerUrl,
      CALLBACK_URL: callbackUrl,
      ISSUER_CERTIFICATE_FILE: path.join(files.folder, 'issuer.pem'),
      ISSUER_KEY_FILE: path.join(files.folder, 'issuer-key.pem'),
      ISSUER_ACCESS_CERTIFICATE_FILE: path.join(files.folder, 'issuer-access.pem'),
      ISSUER_ACCESS_KEY_FILE: path.join(files.folder, 'issuer-access-key.pem'),
      ATTESTATION_TRUST_FILE: path.join(files.folder, 'attesters.json'),
      EGRESS_DEVELOPMENT_HOSTS: new URL(issuerUrl).host,
      TYPE_METADATA_FOLDER: path.join(files.folder, 'types'),
    },
    'wallet-store': {
      ...service,
      DATABASE_URL: databaseUrls.wallet_store,
      BASE_URL: baseUrl,
      FIRST_API_KEY: files.secrets.apiKey,
    },
    gateway: {
      ...all,
      ...health,
      BASE_URL: baseUrl,
      ISSUER_URL: issuerUrl,
      MANAGEMENT_HOST: LOOPBACK,
      MANAGEMENT_PORT: String(settings.managementPort),
      PUBLIC_HOST: LOOPBACK,
      PUBLIC_PORT: String(settings.publicPort),
    },
  };
  return table[app];
}
