import { Module, type DynamicModule } from '@nestjs/common';
import { ASK, type Ask } from '../ask';
import { WalletContentController } from '../content/wallet-content.controller';
import { CallbacksController } from './callbacks.controller';
import { CredentialOffersController } from './credential-offers.controller';
import { CredentialStatusController } from './credential-status.controller';
import { HealthController } from './health.controller';
import { PresentationRequestsController } from './presentation-requests.controller';

/** Everything that only backends and operators reach: the management listener. */
@Module({})
export class ManagementModule {
  static register(ask: Ask): DynamicModule {
    return {
      module: ManagementModule,
      controllers: [
        PresentationRequestsController,
        CredentialOffersController,
        CredentialStatusController,
        WalletContentController,
        CallbacksController,
        HealthController,
      ],
      providers: [{ provide: ASK, useValue: ask }],
    };
  }
}
