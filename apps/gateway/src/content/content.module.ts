import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ASK, type Ask } from '../ask';
import { VERSION_POLICY, type VersionPolicy } from './api-version.pipe';
import { DraftsController } from './drafts.controller';
import { createKnownKeys, KNOWN_KEYS } from './known-keys';
import { PublishedSchemasController } from './published-schemas.controller';
import { SchemasController } from './schemas.controller';
import type { TenantKey } from './tenant';
import { VC_API_TENANT, VcApiController } from './vc-api.controller';
import { WalletContentController } from './wallet-content.controller';
import { WalletDocumentsController } from './wallet-documents.controller';

/** What belongs to tenants, on both listeners. */
const TENANT_CONTROLLERS: readonly Type[] = [
  WalletContentController,
  WalletDocumentsController,
  SchemasController,
  DraftsController,
];

export interface ContentOptions {
  readonly versionPolicy: VersionPolicy;
  /** Of this room, what the listener serves. */
  readonly controllers: readonly Type[];
  /** The tenant that the VC API acts for, where it is served. */
  readonly vcApiTenant?: TenantKey | undefined;
}

/** What wallets hold, and schemas and drafts of it: for backends with the API key of a tenant. */
@Module({})
export class ContentModule {
  static register({ versionPolicy, controllers, vcApiTenant }: ContentOptions): DynamicModule {
    return {
      module: ContentModule,
      controllers: [...controllers],
      providers: [
        { provide: VERSION_POLICY, useValue: versionPolicy },
        // Each listener remembers the keys that it saw: two of them are asked about at most twice as often.
        { provide: KNOWN_KEYS, inject: [ASK], useFactory: (ask: Ask) => createKnownKeys(ask, () => performance.now()) },
        { provide: VC_API_TENANT, useValue: vcApiTenant },
      ],
    };
  }

  /** On the management listener: no published schemas, and the VC API only where the operator has named a tenant for it. */
  static onManagement(vcApiTenant: TenantKey | undefined): readonly Type[] {
    return vcApiTenant === undefined ? TENANT_CONTROLLERS : [...TENANT_CONTROLLERS, VcApiController];
  }

  /** On the public listener: published schemas are for everybody. */
  static onPublic(servesContent: boolean): readonly Type[] {
    return servesContent ? [PublishedSchemasController, ...TENANT_CONTROLLERS] : [PublishedSchemasController];
  }
}
