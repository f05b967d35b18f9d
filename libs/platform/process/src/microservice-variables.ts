import { variable, optionalVariable } from './configuration';
import {
  sealingKeysSetting,
  integerSetting,
  logLevelSetting,
  natsUrlsSetting,
  portSetting,
  postgresUrlSetting,
  textSetting,
} from './settings';

/** What every service behind the bus can be told. */
export const microserviceVariables = {
  natsUrls: variable('NATS_URL', natsUrlsSetting(), {
    category: 'Infrastructure',
    description: 'NATS servers, separated by commas; max_payload must be at least 2 MB',
  }),
  databaseUrl: variable('DATABASE_URL', postgresUrlSetting(), {
    category: 'Infrastructure',
    description: 'Postgres, as the role that owns the schema of this service',
    secret: true,
  }),
  databasePoolSize: variable('DATABASE_POOL_SIZE', integerSetting(1, 200), {
    category: 'Infrastructure',
    description: 'Connections to Postgres that this process may hold',
    default: '10',
  }),
  sealingKeys: variable('SEALING_KEYS', sealingKeysSetting(), {
    category: 'Data protection',
    description:
      'Keys of 32 bytes (base64url, separated by commas) that seal personal data at rest; the first one seals. One that begins with development- serves on loopback only',
    secret: true,
  }),
  healthHost: variable('HEALTH_HOST', textSetting(), {
    category: 'Operations',
    description: 'Address of the health listener',
    default: '127.0.0.1',
  }),
  healthPort: optionalVariable('HEALTH_PORT', portSetting(), {
    category: 'Operations',
    description: 'Port of /health/live, /health/ready and /metrics; no such listener when absent',
  }),
  logLevel: variable('LOG_LEVEL', logLevelSetting(), {
    category: 'Operations',
    description: 'How much is logged',
    default: 'info',
  }),
};
