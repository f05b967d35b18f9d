'use strict';
// Shared by setup and teardown of the tests. Jest may load this file once for each project: hence the global.
const KEY = Symbol.for('vestibule.testServers');

globalThis[KEY] ??= { users: 0, started: undefined, resolved: undefined, stages: undefined, before: {} };

module.exports = {
  servers: globalThis[KEY],
  VARIABLES: ['DATABASE_URL', 'DATABASE_SOURCE', 'NATS_URL', 'NATS_SOURCE', 'RUN_ID', 'STAGES_URL', 'APP_PACKAGES'],
};
