import type { Clock, RandomBytes } from '@vestibule/foundation';
import type { Drafts } from './domain/drafts';
import type { Owner } from './domain/records';
import { credentialView, presentationView } from './use-cases/content-view';
import { createEntity, type CreateEntityDeps } from './use-cases/create-entity';
import { createWallet, type CreateWalletDeps } from './use-cases/create-wallet';
import type { FindWalletDeps } from './use-cases/find-wallet';
import { importCredential, type ImportCredentialDeps } from './use-cases/import-credential';
import type { SigningDeps } from './use-cases/issue-draft';
import {
  abandonPresentation,
  createPresentation,
  issuePresentation,
  presentPresentation,
  type PresentationDeps,
} from './use-cases/presentations';
import type { UnderstandingDeps } from './use-cases/understanding';
import { getContent, listContent, type ListContentInput, type ReadContentDeps } from './use-cases/read-content';

type Content = Pick<ReadContentDeps, 'findOne' | 'findPage'>;

/** The outside world as the wallet store needs it. */
export interface WalletStoreAdapters extends UnderstandingDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly tenants: Pick<CreateEntityDeps, 'findTenant'>;
  readonly wallets: Pick<CreateEntityDeps, 'insertEntity'> &
    Pick<CreateWalletDeps, 'insertWallet' | 'ownsEntity'> &
    Pick<FindWalletDeps, 'ownsWallet' | 'findDefaultWallet' | 'insertDefaultWallet'> &
    Pick<SigningDeps, 'findEntityKey'>;
  readonly credentials: Content;
  readonly presentations: Content;
  readonly presentationDrafts: Drafts;
  readonly issued: Pick<ImportCredentialDeps, 'insertIssued'> &
    Pick<PresentationDeps, 'insertCopies' | 'findCredentials'>;
}

type AsTenant<T> = T & { readonly apiKeyDigest: string };
type GetInput = AsTenant<Owner> & { readonly revision?: number | undefined };

/** Everything that the use cases about wallets share. */
function walletDeps({ clock, random, tenants, wallets }: WalletStoreAdapters) {
  return {
    clock,
    random,
    findTenant: ((digest) => tenants.findTenant(digest)) satisfies CreateEntityDeps['findTenant'],
    ownsWallet: ((tenant, owner) => wallets.ownsWallet(tenant, owner)) satisfies FindWalletDeps['ownsWallet'],
    findDefaultWallet: ((tenant) => wallets.findDefaultWallet(tenant)) satisfies FindWalletDeps['findDefaultWallet'],
    insertDefaultWallet: ((...all) =>
      wallets.insertDefaultWallet(...all)) satisfies FindWalletDeps['insertDefaultWallet'],
  };
}

function composeReads(adapters: WalletStoreAdapters) {
  const { findTenant, ownsWallet } = walletDeps(adapters);
  const readDeps = (kind: Content): ReadContentDeps => ({
    findTenant,
    ownsWallet,
    findOne: (tenant, query) => kind.findOne(tenant, query),
    findPage: (tenant, query) => kind.findPage(tenant, query),
  });
  const [credentials, presentations] = [readDeps(adapters.credentials), readDeps(adapters.presentations)];
  const getCredential = getContent('credential', credentials);
  const getPresentation = getContent('presentation', presentations);
  const [listCredentials, listPresentations] = [listContent(credentials), listContent(presentations)];
  return {
    getCredential: async (input: GetInput & { readonly credentialDid: string }) =>
      credentialView(await getCredential({ ...input, did: input.credentialDid, queryMode: 'All' })),
    getPresentation: async (
      input: GetInput & { readonly presentationDid: string; readonly queryMode: ListContentInput['queryMode'] },
    ) => presentationView(await getPresentation({ ...input, did: input.presentationDid })),
    listCredentials: async (input: ListContentInput) => {
      const { records, ...rest } = await listCredentials(input);
      return { items: records.map(credentialView), ...rest };
    },
    listPresentations: async (input: ListContentInput) => {
      const { records, ...rest } = await listPresentations(input);
      return { items: records.map(presentationView), ...rest };
    },
  };
}

function composeDocuments(adapters: WalletStoreAdapters) {
  const { wallets, presentationDrafts, issued, contexts, canonicalizeFor } = adapters;
  const deps: PresentationDeps & ImportCredentialDeps = {
    ...walletDeps(adapters),
    contexts,
    canonicalizeFor,
    findEntityKey: (tenant, did) => wallets.findEntityKey(tenant, did),
    insertDraft: (...all) => presentationDrafts.insertDraft(...all),
    findDraft: (tenant, did) => presentationDrafts.findDraft(tenant, did),
    replaceDraft: (tenant, change) => presentationDrafts.replaceDraft(tenant, change),
    findCredentials: (...all) => issued.findCredentials(...all),
    insertCopies: (...all) => issued.insertCopies(...all),
    insertIssued: (...all) => issued.insertIssued(...all),
  };
  return {
    importCredential: importCredential(deps),
    createPresentation: createPresentation(deps),
    issuePresentation: issuePresentation(deps),
    abandonPresentation: abandonPresentation(deps),
    presentPresentation: presentPresentation(deps),
  };
}

/** All use cases of the wallet store over the given adapters: the only wiring there is. */
export function composeWalletStore(adapters: WalletStoreAdapters) {
  const { wallets } = adapters;
  const deps = walletDeps(adapters);
  return {
    createEntity: createEntity({ ...deps, insertEntity: (...all) => wallets.insertEntity(...all) }),
    createWallet: createWallet({
      ...deps,
      ownsEntity: (tenant, did) => wallets.ownsEntity(tenant, did),
      insertWallet: (...all) => wallets.insertWallet(...all),
    }),
    ...composeReads(adapters),
    ...composeDocuments(adapters),
  };
}
