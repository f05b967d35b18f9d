import { Module, type DynamicModule } from '@nestjs/common';
import { ASK, type Ask } from '../ask';
import { WalletContentController } from '../content/wallet-content.controller';
import { CredentialController } from './credential.controller';
import { IssuanceController } from './issuance.controller';
import { MetadataController } from './metadata.controller';
import { PresentationController } from './presentation.controller';
import { StatusListsController } from './status-lists.controller';

/** Everything that strangers reach: the public listener. */
@Module({})
export class WalletFacingModule {
  static register(ask: Ask, { servesContent }: { readonly servesContent: boolean }): DynamicModule {
    const content = servesContent ? [WalletContentController] : [];
    return {
      module: WalletFacingModule,
      controllers: [
        PresentationController,
        IssuanceController,
        CredentialController,
        MetadataController,
        StatusListsController,
        ...content,
      ],
      providers: [{ provide: ASK, useValue: ask }],
    };
  }
}
