'use strict';
const { servers, VARIABLES } = require('./test-servers.cjs');

module.exports = async () => {
  servers.users -= 1;
  if (servers.users > 0 || !servers.resolved) return;
  const { resolved, stages, before } = servers;
  servers.resolved = undefined;
  const { dropTestDatabases } = require('../dist/libs/dev/dev-stack/src/index.js');
  try {
    await stages?.stop();
    // Servers that this run started are deleted with everything in them.
    if (resolved.postgres.source === 'given') {
      await dropTestDatabases(process.env.TEST_DATABASE_URL, process.env.TEST_RUN_ID);
    }
  } finally {
    await resolved.stop();
    // In watch mode another run follows, which must not mistake our servers for given ones.
    for (const name of VARIABLES.map((end) => `TEST_${end}`)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
};
