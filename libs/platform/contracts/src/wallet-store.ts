import { z } from 'zod';
import { contract } from './contract';
import { dictionary } from './dictionary';
import { idempotencyKey, instant, jsonObject, readiness } from './fields';

/** The states of a credential or presentation in a wallet. */
export const CONTENT_STATES = ['draft', 'issued', 'abandoned'] as const;

/** `Held`: the holder is the wallet's owner. `Presented`: it is not. */
export const QUERY_MODES = ['All', 'Held', 'Presented'] as const;

export const did = z.string().min(1).max(512);
/** SHA-256 of the caller's API key, base64url: the key itself is never sent over the bus. */
export const apiKeyDigest = z.string().length(43);
const asTenant = { apiKeyDigest };

const record = {
  Created: instant,
  Updated: instant,
  Revision: z.int().min(1),
  MetaData: z.object({
    Labels: dictionary(z.string(), z.string()),
    Annotations: dictionary(z.string(), z.string()),
  }),
};

export const entityView = z.object({ EntityDid: did, ...record }).meta({ id: 'Entity' });
export const walletView = z.object({ WalletDid: did, EntityDid: did, ...record }).meta({ id: 'Wallet' });

const content = {
  State: z.enum(CONTENT_STATES),
  EntityDid: did,
  WalletDid: did,
  HolderDid: did.optional(),
  Types: z.array(z.string()),
  ...record,
  Body: jsonObject.optional(),
};
export const credentialView = z
  .object({ CredentialDid: did, IssuerDid: did.optional(), ...content })
  .meta({ id: 'Credential' });
export const presentationView = z.object({ PresentationDid: did, ...content }).meta({ id: 'Presentation' });

const owner = { entityDid: did, walletDid: did };
const pageOfList = { limit: z.int().min(1).max(1000), cursor: z.string().max(1024).optional() };
const page = {
  ...pageOfList,
  labelSelector: z.string().max(1024).optional(),
};

/** The maximum number of keys per question. */
export const MAX_API_KEYS = 256;

/** Which of these keys belong to a tenant and are not revoked; in no particular order, and nothing else about them. */
export const FindApiKeys = contract(
  'wallet-store.api-key.find',
  z.object({ apiKeyDigests: z.array(apiKeyDigest).min(1).max(MAX_API_KEYS) }),
  z.object({ known: z.array(apiKeyDigest) }),
  5_000,
);

/** Creates an entity with a new did:key. Fails with `api_key_invalid`, `idempotency_conflict`. */
export const CreateEntity = contract(
  'wallet-store.entity.create',
  z.object({ ...asTenant, idempotencyKey: idempotencyKey.optional() }),
  entityView,
);

/** Creates a wallet of an entity. Fails with `api_key_invalid`, `entity_not_found`, `idempotency_conflict`. */
export const CreateWallet = contract(
  'wallet-store.wallet.create',
  z.object({ ...asTenant, entityDid: did, idempotencyKey: idempotencyKey.optional() }),
  walletView,
);

/** The tenant's entities, oldest first. Fails with `api_key_invalid`, `invalid_request`. */
export const ListEntities = contract(
  'wallet-store.entity.list',
  z.object({ ...asTenant, ...pageOfList }),
  z.object({ items: z.array(entityView), nextCursor: z.string().optional() }),
);

/** The tenant's wallets, or those of one entity, oldest first. Fails as {@link ListEntities} does, and with `entity_not_found`. */
export const ListWallets = contract(
  'wallet-store.wallet.list',
  z.object({ ...asTenant, ...pageOfList, entityDid: did.optional() }),
  z.object({ items: z.array(walletView), nextCursor: z.string().optional() }),
);

/** The latest (or a given) revision of a credential. Fails with `credential_not_found`, `wallet_not_found`. */
export const GetCredential = contract(
  'wallet-store.credential.get',
  z.object({ ...asTenant, ...owner, credentialDid: did, revision: z.int().min(1).optional() }),
  credentialView,
);

/** The latest revisions of a wallet's credentials. Fails with `wallet_not_found`. */
export const ListCredentials = contract(
  'wallet-store.credential.list',
  z.object({
    ...asTenant,
    ...owner,
    ...page,
    state: z.enum(CONTENT_STATES).optional(),
    queryMode: z.enum(QUERY_MODES),
    getBodies: z.boolean(),
  }),
  z.object({ items: z.array(credentialView), nextCursor: z.string().optional() }),
);

/** The latest (or a given) revision of a presentation. Fails with `presentation_not_found`, `wallet_not_found`. */
export const GetPresentation = contract(
  'wallet-store.presentation.get',
  z.object({
    ...asTenant,
    ...owner,
    presentationDid: did,
    queryMode: z.enum(QUERY_MODES),
    revision: z.int().min(1).optional(),
  }),
  presentationView,
);

/** The latest revisions of a wallet's presentations. Fails with `wallet_not_found`. */
export const ListPresentations = contract(
  'wallet-store.presentation.list',
  z.object({
    ...asTenant,
    ...owner,
    ...page,
    state: z.enum(CONTENT_STATES).optional(),
    queryMode: z.enum(QUERY_MODES),
    getBodies: z.boolean(),
  }),
  z.object({ items: z.array(presentationView), nextCursor: z.string().optional() }),
);

export const CheckWalletStoreHealth = contract('wallet-store.health.check', z.object({}), readiness, 2_000);
