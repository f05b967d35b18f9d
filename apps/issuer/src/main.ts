import { createSealingKeyDevices } from '@vestibule/keys';
import { databaseCommands } from '@vestibule/persistence';
import { runMicroservice } from '@vestibule/process';
import { ISSUER_DATABASE } from './adapters/postgres/database';
import { certificateRequest } from './certificate-request';
import { ISSUER_CHECKS } from './checks';
import { issuerConfiguration } from './config';
import { IssuerModule } from './issuer.module';

void runMicroservice({
  name: 'issuer',
  configuration: issuerConfiguration,
  sealingKeyDevices: createSealingKeyDevices(),
  module: IssuerModule,
  publicUrl: ({ issuerUrl }) => ({ variable: 'ISSUER_URL', url: issuerUrl }),
  checks: ISSUER_CHECKS,
  commands: { ...databaseCommands(ISSUER_DATABASE), csr: certificateRequest },
});
