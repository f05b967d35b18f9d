import { Module, type DynamicModule } from '@nestjs/common';
import type { Metrics } from '@vestibule/process';
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
import { METRICS, MetricsController } from './metrics.controller';
import { PresentationRequestsController } from './presentation-requests.controller';
import { VC_API_TENANT, VcApiController, type VcApiTenant } from '../content/vc-api.controller';

export interface ManagementOptions {
  readonly versionPolicy: VersionPolicy;
  /** The API key of the tenant that the VC API acts for; undefined for no VC API. */
  readonly vcApiKeyDigest: string | undefined;
  readonly metrics: Metrics;
}

/** The VC API, where there is a tenant for it. */
function vcApiOf(apiKeyDigest: string | undefined) {
  if (apiKeyDigest === undefined) return { controllers: [], providers: [] };
  const tenant: VcApiTenant = { apiKeyDigest };
  return { controllers: [VcApiController], providers: [{ provide: VC_API_TENANT, useValue: tenant }] };
}

/** Everything that only backends and operators reach: the management listener. */
@Module({})
export class ManagementModule {
  static register(ask: Ask, { versionPolicy, vcApiKeyDigest, metrics }: ManagementOptions): DynamicModule {
    const vcApi = vcApiOf(vcApiKeyDigest);
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
        MetricsController,
        ...vcApi.controllers,
      ],
      providers: [
        { provide: ASK, useValue: ask },
        { provide: VERSION_POLICY, useValue: versionPolicy },
        { provide: METRICS, useValue: metrics },
        ...vcApi.providers,
      ],
    };
  }
}
