import { Module } from '@nestjs/common';
import { PROCESS, randomBytes, type Configuration, type ProcessContext } from '@vestibule/process';
import { CredentialStatusController } from './adapters/nats/credential-status.controller';
import type { walletStoreConfiguration } from './config';
import type { CredentialStatuses, Drafts, Tenants, Understand, Wallets } from './domain/ports';
import { CREDENTIAL_STATUSES, DRAFTS, StoresModule, TENANTS, UNDERSTAND, WALLETS } from './stores.module';
import { changeCredentialStatus, getCredentialStatus } from './use-cases/credential-status';
import { drawCredentialStatus } from './use-cases/draw-credential-status';
import { getStatusListCredential, publishStatusList, type PublishStatusList } from './use-cases/status-list-credential';

type Process = ProcessContext<Configuration<typeof walletStoreConfiguration>>;
type Signing = [wallets: Wallets, understand: Understand];

const clock = () => new Date();

/** The status of credentials that were made from drafts: their entries, and the lists that everybody can read. */
@Module({
  imports: [StoresModule],
  controllers: [CredentialStatusController],
  providers: [
    {
      provide: drawCredentialStatus,
      inject: [PROCESS, CREDENTIAL_STATUSES],
      useFactory: ({ configuration: { baseUrl } }: Process, { drawIndex, openList }: CredentialStatuses) =>
        drawCredentialStatus({ random: randomBytes, baseUrl, drawIndex, openList }),
    },
    {
      provide: getCredentialStatus,
      inject: [TENANTS, DRAFTS, CREDENTIAL_STATUSES],
      useFactory: ({ findTenant }: Tenants, { findDraft }: Drafts, { findStatuses }: CredentialStatuses) =>
        getCredentialStatus({ findTenant, findDraft, findStatuses }),
    },
    {
      provide: changeCredentialStatus,
      inject: [TENANTS, DRAFTS, CREDENTIAL_STATUSES],
      useFactory: (
        { findTenant }: Tenants,
        { findDraft }: Drafts,
        { findStatuses, changeStatus }: CredentialStatuses,
      ) => changeCredentialStatus({ findTenant, findDraft, findStatuses, changeStatus }),
    },
    {
      provide: publishStatusList,
      inject: [PROCESS, CREDENTIAL_STATUSES, WALLETS, UNDERSTAND],
      useFactory: (
        { configuration: { baseUrl } }: Process,
        { findList, publish }: CredentialStatuses,
        ...[{ findEntityKey }, understand]: Signing
      ) => publishStatusList({ clock, baseUrl, findList, publish, findEntityKey, understand }),
    },
    {
      provide: getStatusListCredential,
      inject: [CREDENTIAL_STATUSES, publishStatusList],
      useFactory: ({ findPublished }: CredentialStatuses, publish: PublishStatusList) =>
        getStatusListCredential({ clock, findPublished, publishStatusList: publish }),
    },
  ],
  exports: [drawCredentialStatus],
})
export class StatusModule {}
