import { Module, type DynamicModule } from '@nestjs/common';
import { ASK, type Ask } from '../ask';
import { VERSION_POLICY, type VersionPolicy } from '../content/api-version';
import { DraftsController } from '../content/drafts.controller';
import { PublishedSchemasController } from '../content/published-schemas.controller';
import { SchemasController } from '../content/schemas.controller';
import { WalletContentController } from '../content/wallet-content.controller';
import { WalletDocumentsController } from '../content/wallet-documents.controller';
import { CredentialController } from './credential.controller';
import { IssuanceController } from './issuance.controller';
import { MetadataController } from './metadata.controller';
import { PresentationController } from './presentation.controller';
import { SECURITY_TEXT, SecurityTextController } from './security-text.controller';
import { StatusListsController } from './status-lists.controller';

export interface WalletFacingOptions {
  readonly servesContent: boolean;
  readonly versionPolicy: VersionPolicy;
  /** The security.txt as it is now; undefined for none. */
  readonly securityText: () => string | undefined;
}

/** Everything that strangers reach: the public listener. */
@Module({})
export class WalletFacingModule {
  static register(ask: Ask, { servesContent, versionPolicy, securityText }: WalletFacingOptions): DynamicModule {
    const forBackends = [WalletContentController, WalletDocumentsController, SchemasController, DraftsController];
    const content = servesContent ? forBackends : [];
    return {
      module: WalletFacingModule,
      controllers: [
        PresentationController,
        IssuanceController,
        CredentialController,
        MetadataController,
        StatusListsController,
        PublishedSchemasController,
        SecurityTextController,
        ...content,
      ],
      providers: [
        { provide: ASK, useValue: ask },
        { provide: VERSION_POLICY, useValue: versionPolicy },
        { provide: SECURITY_TEXT, useValue: securityText },
      ],
    };
  }
}
