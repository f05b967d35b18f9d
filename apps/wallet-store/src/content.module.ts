import { randomBytes } from '@vestibule/process';
import { Module } from '@nestjs/common';
import { ContentController } from './adapters/nats/content.controller';
import type { Contents, Drafts, IssuedDocuments, Tenants, Understand, Wallets } from './domain/ports';
import {
  CREDENTIALS,
  ISSUED,
  PRESENTATION_DRAFTS,
  PRESENTATIONS,
  StoresModule,
  TENANTS,
  UNDERSTAND,
  WALLETS,
} from './stores.module';
import { changePresentation, type ChangePresentation } from './use-cases/change-draft';
import { createEntity } from './use-cases/create-entity';
import { createWallet } from './use-cases/create-wallet';
import { findWallet, type FindWallet } from './use-cases/find-wallet';
import { importCredential } from './use-cases/import-credential';
import { listEntities, listWallets } from './use-cases/list-owners';
import {
  abandonPresentation,
  createPresentation,
  issuePresentation,
  presentPresentation,
} from './use-cases/presentations';
import {
  getCredential,
  getPresentation,
  listCredentials,
  listPresentations,
  type ReadContentDeps,
} from './use-cases/read-content';
import { updatePresentation } from './use-cases/update-presentation';

const clock = () => new Date();
const random = randomBytes;

type Creating = [drafts: Drafts, issued: IssuedDocuments];
type Signing = [wallets: Wallets, understand: Understand, change: ChangePresentation];
type Updating = [change: ChangePresentation, issued: IssuedDocuments];
type Presenting = [drafts: Drafts, issued: IssuedDocuments];
type Importing = [understand: Understand, issued: IssuedDocuments];

/** One of the four reads, of credentials or of presentations. */
const reading = <UseCase>(provide: (deps: ReadContentDeps) => UseCase, contents: symbol) => ({
  provide,
  inject: [TENANTS, WALLETS, contents],
  useFactory: ({ findTenant }: Tenants, { ownsWallet }: Wallets, { findOne, findPage }: Contents) =>
    provide({ findTenant, ownsWallet, findOne, findPage }),
});

/** The wallet content API: entities, wallets and their content. */
@Module({
  imports: [StoresModule],
  controllers: [ContentController],
  providers: [
    {
      provide: createEntity,
      inject: [TENANTS, WALLETS],
      useFactory: ({ findTenant }: Tenants, { insertEntity }: Wallets) =>
        createEntity({ clock, random, findTenant, insertEntity }),
    },
    {
      provide: createWallet,
      inject: [TENANTS, WALLETS],
      useFactory: ({ findTenant }: Tenants, { ownsEntity, insertWallet }: Wallets) =>
        createWallet({ clock, random, findTenant, ownsEntity, insertWallet }),
    },
    {
      provide: listEntities,
      inject: [TENANTS, WALLETS],
      useFactory: ({ findTenant }: Tenants, { findEntities }: Wallets) => listEntities({ findTenant, findEntities }),
    },
    {
      provide: listWallets,
      inject: [TENANTS, WALLETS],
      useFactory: ({ findTenant }: Tenants, { ownsEntity, findWallets }: Wallets) =>
        listWallets({ findTenant, ownsEntity, findWallets }),
    },
    reading(getCredential, CREDENTIALS),
    reading(listCredentials, CREDENTIALS),
    reading(getPresentation, PRESENTATIONS),
    reading(listPresentations, PRESENTATIONS),
    {
      provide: importCredential,
      inject: [TENANTS, findWallet, UNDERSTAND, ISSUED],
      useFactory: ({ findTenant }: Tenants, wallet: FindWallet, ...[understand, issued]: Importing) => {
        const { insertIssued, recallIssued } = issued;
        return importCredential({
          clock,
          random,
          findTenant,
          findWallet: wallet,
          understand,
          insertIssued,
          recallIssued,
        });
      },
    },
    {
      provide: createPresentation,
      inject: [TENANTS, findWallet, PRESENTATION_DRAFTS, ISSUED],
      useFactory: ({ findTenant }: Tenants, wallet: FindWallet, ...[{ insertDraft }, { findCredentials }]: Creating) =>
        createPresentation({ clock, random, findTenant, findWallet: wallet, insertDraft, findCredentials }),
    },
    {
      provide: changePresentation,
      inject: [PRESENTATION_DRAFTS],
      useFactory: ({ findDraft, replaceDraft }: Drafts) => changePresentation({ clock, findDraft, replaceDraft }),
    },
    {
      provide: updatePresentation,
      inject: [TENANTS, findWallet, changePresentation, ISSUED],
      useFactory: ({ findTenant }: Tenants, wallet: FindWallet, ...[change, { findCredentials }]: Updating) =>
        updatePresentation({ findTenant, findWallet: wallet, changePresentation: change, findCredentials }),
    },
    {
      provide: issuePresentation,
      inject: [TENANTS, findWallet, WALLETS, UNDERSTAND, changePresentation],
      useFactory: (
        { findTenant }: Tenants,
        wallet: FindWallet,
        ...[{ findEntityKey }, understand, change]: Signing
      ) => {
        const changing = { findTenant, findWallet: wallet, changePresentation: change };
        return issuePresentation({ ...changing, random, findEntityKey, understand });
      },
    },
    {
      provide: abandonPresentation,
      inject: [TENANTS, findWallet, changePresentation],
      useFactory: ({ findTenant }: Tenants, wallet: FindWallet, change: ChangePresentation) =>
        abandonPresentation({ findTenant, findWallet: wallet, changePresentation: change }),
    },
    {
      provide: presentPresentation,
      inject: [TENANTS, findWallet, PRESENTATION_DRAFTS, ISSUED],
      useFactory: ({ findTenant }: Tenants, wallet: FindWallet, ...[{ findDraft }, issued]: Presenting) => {
        const { findCredentials, insertCopies } = issued;
        return presentPresentation({ clock, findTenant, findWallet: wallet, findDraft, findCredentials, insertCopies });
      },
    },
  ],
})
export class ContentModule {}
