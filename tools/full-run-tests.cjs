'use strict';
// The tests that only `.ci/full` and `npm run test:full` run: the Jest project `full`. They prove at length, with processes
// that are killed, stopped and restarted, with other programs, other versions of Node or many attempts, what quicker tests state as
// well: beside each file are those that `npm test` runs for the same rules. A file belongs here only if it takes more than
// four seconds of processor time with the processes that it starts, and if each requirement and each demand that it names
// keeps a test elsewhere (tools/spec-map.spec.ts, tools/contract-map.spec.ts).
module.exports = {
  'apps/issuer/src/adapters/postgres/offer-model-at-length.int-spec.ts': [
    'apps/issuer/src/adapters/postgres/offer-model.int-spec.ts',
  ],
  'apps/issuer/src/adapters/postgres/offer-row-domain.int-spec.ts': [
    'apps/issuer/src/adapters/postgres/offer-checks.int-spec.ts',
    'apps/issuer/src/adapters/postgres/offer-row-checks.int-spec.ts',
  ],
  'e2e/eudi/listed-attesters.e2e-spec.ts': [
    'apps/verifier/src/adapters/lists/listed-trust.spec.ts',
    'e2e/src/trusted-lists.e2e-spec.ts',
    'libs/core/trusted-lists/src/verify-trusted-list.spec.ts',
  ],
  'e2e/model/flows-at-length.e2e-spec.ts': ['e2e/model/flows.e2e-spec.ts', 'e2e/src/callbacks.e2e-spec.ts'],
  'e2e/src/backup.e2e-spec.ts': [
    'apps/issuer/src/adapters/postgres/status-list.int-spec.ts',
    'e2e/src/old-rows.e2e-spec.ts',
    'e2e/src/restart.e2e-spec.ts',
  ],
  'e2e/src/blocked-purges.e2e-spec.ts': ['libs/platform/process/src/sweep.spec.ts'],
  'e2e/src/certificate-request.e2e-spec.ts': ['apps/cli/src/command-line.spec.ts'],
  'e2e/src/draft-histories-at-length.e2e-spec.ts': ['e2e/src/draft-histories.e2e-spec.ts'],
  'e2e/src/failing-statements.e2e-spec.ts': [
    'apps/issuer/src/use-cases/issue-credential-outcome.spec.ts',
    'e2e/src/interrupted-presentations.e2e-spec.ts',
    'e2e/src/lost-answers.e2e-spec.ts',
    'libs/platform/persistence/src/conflicts.int-spec.ts',
    'libs/platform/persistence/src/outcome.int-spec.ts',
  ],
  'e2e/src/frozen-verifier.e2e-spec.ts': ['e2e/src/interrupted-presentations.e2e-spec.ts'],
  'e2e/src/full-disk.e2e-spec.ts': [
    'e2e/src/unavailable.e2e-spec.ts',
    'libs/platform/persistence/src/outcome.int-spec.ts',
  ],
  'e2e/src/generated-clients.e2e-spec.ts': ['apps/gateway/src/http/openapi.spec.ts', 'e2e/src/client.e2e-spec.ts'],
  'e2e/src/hostile-documents-at-length.e2e-spec.ts': ['e2e/src/hostile-documents.e2e-spec.ts'],
  'e2e/src/issuer-certificate.e2e-spec.ts': [
    'apps/issuer/src/adapters/keys/follow-issuer-keys.spec.ts',
    'apps/issuer/src/adapters/postgres/list-certificates.int-spec.ts',
    'e2e/src/issuer-rotation.e2e-spec.ts',
  ],
  'e2e/src/issuer-crash.e2e-spec.ts': [
    'apps/issuer/src/adapters/postgres/complete.int-spec.ts',
    'apps/issuer/src/adapters/postgres/redeem.int-spec.ts',
    'e2e/src/callbacks.e2e-spec.ts',
    'e2e/src/lost-answers.e2e-spec.ts',
  ],
  'e2e/src/key-rotation.e2e-spec.ts': [
    'libs/platform/messaging/src/wrapped-sealing-keys.int-spec.ts',
    'libs/platform/persistence/src/reseal.int-spec.ts',
  ],
  'e2e/src/lost-bus-answers.e2e-spec.ts': ['e2e/src/lost-answers.e2e-spec.ts'],
  'e2e/src/management-tls.e2e-spec.ts': ['apps/gateway/src/backend/management-authentication.spec.ts'],
  'e2e/src/operator-command.e2e-spec.ts': [
    'apps/cli/src/command-line.spec.ts',
    'e2e/src/callbacks.e2e-spec.ts',
    'libs/platform/messaging/src/microservice.int-spec.ts',
  ],
  'e2e/src/python-library.e2e-spec.ts': [
    'e2e/src/second-wallet.e2e-spec.ts',
    'libs/core/sd-jwt-vc/src/verify-presentation.spec.ts',
  ],
  'e2e/src/rolling-restart.e2e-spec.ts': [
    'e2e/src/restart.e2e-spec.ts',
    'libs/platform/messaging/src/drain.int-spec.ts',
  ],
  'e2e/src/tenant-share.e2e-spec.ts': [
    'apps/wallet-store/src/search-limits.int-spec.ts',
    'e2e/src/wallet-isolation.e2e-spec.ts',
  ],
  'e2e/src/tutorials.e2e-spec.ts': ['e2e/src/wallet-command.e2e-spec.ts', 'tools/documentation.spec.ts'],
  'e2e/src/unserved-wallets.e2e-spec.ts': [
    'e2e/src/interrupted-presentations.e2e-spec.ts',
    'e2e/src/unavailable.e2e-spec.ts',
  ],
  'e2e/src/unwritable-postgres.e2e-spec.ts': [
    'e2e/src/unavailable.e2e-spec.ts',
    'libs/platform/persistence/src/database-errors.spec.ts',
  ],
  'libs/dev/dev-stack/src/embedded-postgres.int-spec.ts': ['libs/dev/dev-stack/src/resolve-servers.int-spec.ts'],
  'libs/dev/dev-stack/src/stack.int-spec.ts': [
    'libs/dev/dev-stack/src/app-process.int-spec.ts',
    'libs/dev/dev-stack/src/test-stage.int-spec.ts',
  ],
  'tools/link.int-spec.ts': ['tools/linked-program.spec.ts', 'libs/dev/dev-stack/src/test-stage.int-spec.ts'],
  'tools/nx.spec.ts': ['tools/nx-affected.spec.ts'],
  'tools/openapi-documents.spec.ts': ['apps/gateway/src/http/openapi.spec.ts', 'tools/documentation.spec.ts'],
  'tools/pack-client.spec.ts': ['libs/kit/client/src/client.spec.ts', 'tools/package-type.spec.ts'],
  'tools/release.spec.ts': ['tools/commits.spec.ts', 'tools/release-check.spec.ts'],
};
