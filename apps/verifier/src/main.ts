import { createSealingKeyDevices } from '@vestibule/keys';
import { databaseCommands } from '@vestibule/persistence';
import { runMicroservice } from '@vestibule/process';
import { VERIFIER_DATABASE } from './adapters/postgres/database';
import { certificateRequest } from './certificate-request';
import { VERIFIER_CHECKS } from './checks';
import { verifierConfiguration } from './config';
import { VerifierModule } from './verifier.module';

void runMicroservice({
  name: 'verifier',
  configuration: verifierConfiguration,
  sealingKeyDevices: createSealingKeyDevices(),
  module: VerifierModule,
  publicUrl: ({ baseUrl }) => ({ variable: 'BASE_URL', url: baseUrl }),
  checks: VERIFIER_CHECKS,
  commands: { ...databaseCommands(VERIFIER_DATABASE), csr: certificateRequest },
});
