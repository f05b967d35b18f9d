import { variable, optionalVariable } from './configuration';
import { databaseVariables } from './database-variables';
import { doctorVariables } from './host-checks';
import { natsVariables } from './nats-variables';
import { traceVariables } from './open-traces';
import { sealingVariables } from './sealing-variables';
import { logLevelSetting, portSetting, secondsSetting, textSetting } from './settings';

/** Where a process serves health and metrics to operators. */
export const healthVariables = {
  healthHost: variable('HEALTH_HOST', textSetting(), {
    category: 'Operations',
    description: 'Address of the health listener',
    default: '127.0.0.1',
  }),
  healthPort: optionalVariable('HEALTH_PORT', portSetting(), {
    category: 'Operations',
    description: 'Port of /health/live, /health/ready and /metrics. If not set, there is no such listener',
  }),
};

/** The settings of every service behind the bus. */
export const microserviceVariables = {
  ...natsVariables,
  ...databaseVariables,
  ...doctorVariables,
  ...sealingVariables,
  ...healthVariables,
  lifelessSeconds: variable('LIFELESS_EXIT_SECONDS', secondsSetting(0, 86_400), {
    category: 'Operations',
    description:
      'How many seconds /health/live has to be 503, which means that only a restart helps, until the process ends with exit code 1; 0: never. For supervisors that restart only what ends, as Docker does',
    default: '0',
  }),
  ...traceVariables,
  logLevel: variable('LOG_LEVEL', logLevelSetting(), {
    category: 'Operations',
    description: 'Minimum level of log lines',
    default: 'info',
  }),
};
