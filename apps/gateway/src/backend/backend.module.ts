import { Module, type Type } from '@nestjs/common';
import { CredentialOffersController } from './credential-offers.controller';
import { CredentialStatusController } from './credential-status.controller';
import { PresentationRequestsController } from './presentation-requests.controller';

export const BACKEND_CONTROLLERS: Type[] = [
  PresentationRequestsController,
  CredentialOffersController,
  CredentialStatusController,
];

/** What backends ask of wallets and give to them, on the management listener. */
@Module({ controllers: BACKEND_CONTROLLERS })
export class BackendModule {}
