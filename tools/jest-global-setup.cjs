'use strict';
// Postgres, NATS and the host of shared stages for all projects except `unit`: started once per run, whichever project
// asks first.
const { randomBytes } = require('node:crypto');
const { servers } = require('./test-servers.cjs');

module.exports = async () => {
  servers.users += 1;
  if (servers.users > 1) return servers.started;
  // Stored immediately: a second project must wait for the same start.
  servers.started = start();
  return servers.started;
};

async function start() {
  servers.before = { ...process.env };
  require('./build.cjs').build();
  process.env.TEST_CODE_CACHE = require('./code-cache.cjs').makeCodeCaches();
  const { resolveServers, startStageProcess } = require('../dist/libs/dev/dev-stack/src/index.js');
  const report = (line) => process.stderr.write(`${line}\n`);
  servers.resolved = await resolveServers({ environment: process.env, report });
  const { postgres, nats } = servers.resolved;
  Object.assign(process.env, {
    TEST_DATABASE_URL: postgres.url,
    TEST_DATABASE_SOURCE: postgres.source,
    TEST_NATS_URL: nats.url,
    TEST_NATS_SOURCE: nats.source,
    TEST_RUN_ID: randomBytes(16).toString('hex'),
  });
  servers.stages = await startStageProcess(process.env);
  process.env.TEST_STAGES_URL = servers.stages.url;
}
