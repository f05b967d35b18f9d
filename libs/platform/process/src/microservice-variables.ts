import { variable, optionalVariable } from './configuration';
import { natsVariables } from './nats-variables';
import {
  sealingKeysSetting,
  integerSetting,
  logLevelSetting,
  portSetting,
  postgresUrlSetting,
  textSetting,
} from './settings';

/** What every service behind the bus can be told. */
export const microserviceVariables = {
  ...natsVariables,
  databaseUrl: variable('DATABASE_URL', postgresUrlSetting(), {
    category: 'Infrastructure',
    description: 'Postgres connection URL, with the role that owns the schema of this service',
    secret: true,
  }),
  databasePoolSize: variable('DATABASE_POOL_SIZE', integerSetting(1, 200), {
    category: 'Infrastructure',
    description: 'Maximum number of Postgres connections of this process',
    default: '10',
  }),
  sealingKeys: variable('SEALING_KEYS', sealingKeysSetting(), {
    category: 'Data protection',
    description:
      'Comma-separated 32-byte keys (base64url) that seal personal data at rest; the first one seals, all of them open. A key that begins with development- is accepted on loopback only',
    secret: true,
  }),
  healthHost: variable('HEALTH_HOST', textSetting(), {
    category: 'Operations',
    description: 'Address of the health listener',
    default: '127.0.0.1',
  }),
  healthPort: optionalVariable('HEALTH_PORT', portSetting(), {
    category: 'Operations',
    description: 'Port of /health/live, /health/ready and /metrics. If not set, there is no such listener',
  }),
  logLevel: variable('LOG_LEVEL', logLevelSetting(), {
    category: 'Operations',
    description: 'Minimum level of log lines',
    default: 'info',
  }),
};
