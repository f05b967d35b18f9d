import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { CredentialController } from './credential.controller';
import { HAND_OVERS, type HandOvers } from './hand-overs';
import { IssuanceController } from './issuance.controller';
import { MetadataController } from './metadata.controller';
import { PresentationController } from './presentation.controller';
import { SECURITY_TEXT, SecurityTextController, type RenderAt } from './security-text.controller';
import { StatusListsController } from './status-lists.controller';

export const WALLET_CONTROLLERS: readonly Type[] = [
  PresentationController,
  IssuanceController,
  CredentialController,
  MetadataController,
  StatusListsController,
  SecurityTextController,
];

export interface WalletContext {
  readonly securityText: RenderAt;
  readonly handOvers: HandOvers;
}

/** The public API: for wallets, and for verifiers of issued credentials. */
@Module({})
export class WalletModule {
  static register({ securityText, handOvers }: WalletContext): DynamicModule {
    return {
      module: WalletModule,
      controllers: [...WALLET_CONTROLLERS],
      providers: [
        { provide: SECURITY_TEXT, useValue: securityText },
        { provide: HAND_OVERS, useValue: handOvers },
      ],
    };
  }
}
