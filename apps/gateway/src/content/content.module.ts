import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { ASK, type Ask } from '../ask';
import { VERSION_POLICY, type VersionPolicy } from './api-version.guard';
import { DraftsController } from './drafts.controller';
import { createKnownKeys, KNOWN_KEYS } from './known-keys';
import { PublishedSchemasController } from './published-schemas.controller';
import { SchemasController } from './schemas.controller';
import { StatusListCredentialsController } from './status-list-credentials.controller';
import type { TenantKey } from './tenant';
import { VC_API_TENANT, VcApiController } from './vc-api.controller';
import { WalletContentController } from './wallet-content.controller';
import { WalletDocumentsController } from './wallet-documents.controller';

/** Controllers of tenants' data, on both listeners. */
const TENANT_CONTROLLERS: readonly Type[] = [
  WalletContentController,
  WalletDocumentsController,
  SchemasController,
  DraftsController,
];

export interface ContentOptions {
  readonly versionPolicy: VersionPolicy;
  /** The controllers of this module that the listener serves. */
  readonly controllers: readonly Type[];
  /** The tenant that the VC API acts for, if it is served. */
  readonly vcApiTenant?: TenantKey | undefined;
}

/** The content of wallets, and schemas and drafts: for backends with a tenant's API key. */
@Module({})
export class ContentModule {
  static register({ versionPolicy, controllers, vcApiTenant }: ContentOptions): DynamicModule {
    return {
      module: ContentModule,
      controllers: [...controllers],
      providers: [
        { provide: VERSION_POLICY, useValue: versionPolicy },
        // Each listener caches keys separately: two of them send at most twice as many requests.
        { provide: KNOWN_KEYS, inject: [ASK], useFactory: (ask: Ask) => createKnownKeys(ask, () => performance.now()) },
        { provide: VC_API_TENANT, useValue: vcApiTenant },
      ],
    };
  }

  /**
   * On the management listener: neither published schemas nor status lists, and the VC API only if the operator has configured a tenant for
   * it.
   */
  static onManagement(vcApiTenant: TenantKey | undefined): readonly Type[] {
    return vcApiTenant === undefined ? TENANT_CONTROLLERS : [...TENANT_CONTROLLERS, VcApiController];
  }

  /** On the public listener: published schemas and status lists are available to everybody. */
  static onPublic(servesContent: boolean): readonly Type[] {
    const open = [PublishedSchemasController, StatusListCredentialsController];
    return servesContent ? [...open, ...TENANT_CONTROLLERS] : open;
  }
}
