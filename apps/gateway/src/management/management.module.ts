import { Module, type DynamicModule } from '@nestjs/common';
import { ASK, type Ask } from '../ask';
import { VERSION_POLICY, type VersionPolicy } from '../content/api-version';
import { DraftsController } from '../content/drafts.controller';
import { SchemasController } from '../content/schemas.controller';
import { WalletContentController } from '../content/wallet-content.controller';
import { WalletDocumentsController } from '../content/wallet-documents.controller';
import { CallbacksController } from './callbacks.controller';
import { CredentialOffersController } from './credential-offers.controller';
import { CredentialStatusController } from './credential-status.controller';
import { HealthController } from './health.controller';
import { PresentationRequestsController } from './presentation-requests.controller';

/** Everything that only backends and operators reach: the management listener. */
@Module({})
export class ManagementModule {
  static register(ask: Ask, { versionPolicy }: { readonly versionPolicy: VersionPolicy }): DynamicModule {
    return {
      module: ManagementModule,
      controllers: [
        PresentationRequestsController,
        CredentialOffersController,
        CredentialStatusController,
        WalletContentController,
        WalletDocumentsController,
        SchemasController,
        DraftsController,
        CallbacksController,
        HealthController,
      ],
      providers: [
        { provide: ASK, useValue: ask },
        { provide: VERSION_POLICY, useValue: versionPolicy },
      ],
    };
  }
}
