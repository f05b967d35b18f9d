import { databaseCommands } from '@vestibule/persistence';
import { runMicroservice } from '@vestibule/process';
import { VERIFIER_DATABASE } from './adapters/postgres/database';
import { verifierConfiguration } from './config';
import { VerifierModule } from './verifier.module';

void runMicroservice({
  name: 'verifier',
  configuration: verifierConfiguration,
  module: VerifierModule,
  publicUrl: ({ baseUrl }) => ({ variable: 'BASE_URL', url: baseUrl }),
  commands: databaseCommands(VERIFIER_DATABASE),
});
