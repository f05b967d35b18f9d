import { Module, type Type } from '@nestjs/common';
import { CredentialOffersController } from './credential-offers.controller';
import { CredentialStatusController } from './credential-status.controller';
import { PresentationRequestsController } from './presentation-requests.controller';

export const BACKEND_CONTROLLERS: Type[] = [
  PresentationRequestsController,
  CredentialOffersController,
  CredentialStatusController,
];

/** The API that backends use to request and issue credentials, on the management listener. */
@Module({ controllers: BACKEND_CONTROLLERS })
export class BackendModule {}
