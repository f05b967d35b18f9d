import { databaseCommands } from '@vestibule/persistence';
import { runMicroservice } from '@vestibule/process';
import { ISSUER_DATABASE } from './adapters/postgres/database';
import { issuerConfiguration } from './config';
import { IssuerModule } from './issuer.module';

void runMicroservice({
  name: 'issuer',
  configuration: issuerConfiguration,
  module: IssuerModule,
  publicUrl: ({ issuerUrl }) => ({ variable: 'ISSUER_URL', url: issuerUrl }),
  commands: databaseCommands(ISSUER_DATABASE),
});
