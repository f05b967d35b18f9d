import type { Clock, RandomBytes } from '@vestibule/foundation';
import type { Owner } from './domain/records';
import { createEntity, type CreateEntityDeps } from './use-cases/create-entity';
import { createWallet, type CreateWalletDeps } from './use-cases/create-wallet';
import {
  contentView,
  getContent,
  listContent,
  type ListContentInput,
  type ReadContentDeps,
} from './use-cases/read-content';

type Content = Pick<ReadContentDeps, 'findOne' | 'findPage'>;

/** The outside world as the wallet store needs it. */
export interface WalletStoreAdapters {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly tenants: Pick<CreateEntityDeps, 'findTenant'>;
  readonly wallets: Pick<CreateEntityDeps, 'insertEntity'> &
    Pick<CreateWalletDeps, 'insertWallet' | 'ownsEntity'> &
    Pick<ReadContentDeps, 'ownsWallet'>;
  readonly credentials: Content;
  readonly presentations: Content;
}

type AsTenant<T> = T & { readonly apiKeyDigest: string };
type GetInput = AsTenant<Owner> & { readonly revision?: number | undefined };

/** All use cases of the wallet store over the given adapters: the only wiring there is. */
export function composeWalletStore({ clock, random, tenants, wallets, ...content }: WalletStoreAdapters) {
  const findTenant: CreateEntityDeps['findTenant'] = (digest) => tenants.findTenant(digest);
  const readDeps = (kind: Content): ReadContentDeps => ({
    findTenant,
    ownsWallet: (tenant, owner) => wallets.ownsWallet(tenant, owner),
    findOne: (tenant, query) => kind.findOne(tenant, query),
    findPage: (tenant, query) => kind.findPage(tenant, query),
  });
  const [credentials, presentations] = [readDeps(content.credentials), readDeps(content.presentations)];
  const getCredential = getContent('credential', credentials);
  const getPresentation = getContent('presentation', presentations);
  const [listCredentials, listPresentations] = [listContent(credentials), listContent(presentations)];
  const credentialView = (record: Awaited<ReturnType<typeof getCredential>>) => ({
    CredentialDid: record.did,
    ...(record.issuerDid === undefined ? {} : { IssuerDid: record.issuerDid }),
    ...contentView(record),
  });
  const presentationView = (record: Awaited<ReturnType<typeof getPresentation>>) => ({
    PresentationDid: record.did,
    ...contentView(record),
  });
  return {
    createEntity: createEntity({ clock, random, findTenant, insertEntity: (...all) => wallets.insertEntity(...all) }),
    createWallet: createWallet({
      clock,
      random,
      findTenant,
      ownsEntity: (tenant, did) => wallets.ownsEntity(tenant, did),
      insertWallet: (...all) => wallets.insertWallet(...all),
    }),
    getCredential: async (input: GetInput & { readonly credentialDid: string }) =>
      credentialView(await getCredential({ ...input, did: input.credentialDid, queryMode: 'All' })),
    getPresentation: async (
      input: GetInput & { readonly presentationDid: string; readonly queryMode: ListContentInput['queryMode'] },
    ) => presentationView(await getPresentation({ ...input, did: input.presentationDid })),
    listCredentials: async (input: ListContentInput) => {
      const { records, ...rest } = await listCredentials(input);
      return { items: records.map(credentialView), ...rest };
    },
    listPresentations: async (input: Omit<ListContentInput, 'queryMode'>) => {
      const { records, ...rest } = await listPresentations({ ...input, queryMode: 'All' });
      return { items: records.map(presentationView), ...rest };
    },
  };
}
