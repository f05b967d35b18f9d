import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { buildCredential, canonicalize, createDidKey, signCredential } from '@vestibule/vcdm';
import { findWallet } from './use-cases/find-wallet';
import { importCredential } from './use-cases/import-credential';
import { openWalletStore, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';

const EMAIL = 'mailto:ada.lovelace@example.org';
const issuer = createDidKey(randomBytes);

let stage: WalletStoreStage;
let tenant: Tenant;
beforeAll(async () => {
  stage = await openWalletStore();
  tenant = await stage.newTenant();
});
afterAll(() => stage.close());

interface Said {
  readonly id?: string;
  readonly subject: JsonObject;
  readonly validUntil?: Date;
}

/** A credential of another issuer. */
function issued({ id = createDidKey(randomBytes).did, subject, validUntil }: Said): Promise<JsonObject> {
  const document = buildCredential({
    ...{ id, types: [], issuerDid: issuer.did, validUntil, credentialSubject: subject },
    contexts: ['https://www.w3.org/ns/credentials/undefined-terms/v2'],
    credentialSchema: [],
  });
  const contexts = { find: async () => undefined, isOwn: () => false, findTexts: async () => [] };
  return signCredential(document, { signer: issuer, now: new Date(), contexts, canonicalize });
}

const rowsOf = (did: string) =>
  stage.outside<{ holder_did: string | null; presented: boolean; dump: string }>(
    `SELECT holder_did, presented, t::text AS dump FROM wallet_store.credential t WHERE did = $1 ORDER BY wallet_did`,
    [did],
  );

describe('an imported credential', () => {
  const importing = async (said: Said) => {
    const { apiKeyDigest, owner } = tenant;
    return stage.store.importCredential({ apiKeyDigest, ...owner, document: await issued(said) });
  };
  const listed = async (queryMode: 'Held' | 'Presented') => {
    const { apiKeyDigest, owner } = tenant;
    const list = { apiKeyDigest, ...owner, queryMode, getBodies: false, limit: 1000 };
    return (await stage.store.listCredentials(list)).items.map(({ CredentialDid }) => CredentialDid);
  };

  it.each([
    EMAIL,
    'did:example:org?person=ada.lovelace',
    'did:example:org/ada.lovelace',
    'did:example:org#ada.lovelace',
    'did:example:ada.lovelace@example.org',
    'did:example:ada.lovelace:',
  ])('whose subject has the address %s, no DID, keeps it in the sealed document alone, and is not held', async (id) => {
    const made = await importing({ subject: { id, name: 'Ada' } });
    expect(made).not.toHaveProperty('HolderDid');
    expect(made.Body).toMatchObject({ credentialSubject: { id } });
    const [row] = await rowsOf(made.CredentialDid);
    expect(row).toMatchObject({ holder_did: null, presented: true });
    expect(row?.dump).not.toContain('lovelace');
    expect(await listed('Presented')).toContain(made.CredentialDid);
    expect(await listed('Held')).not.toContain(made.CredentialDid);
  });

  it.each<[string, JsonObject, string | undefined, 'Held' | 'Presented']>([
    ['the DID of a stranger', { id: 'did:example:ada' }, 'did:example:ada', 'Presented'],
    ['no address', { name: 'Ada' }, undefined, 'Held'],
  ])('whose subject has %s is found by it', async (_what, subject, holderDid, mode) => {
    const made = await importing({ subject: { name: 'Ada', ...subject } });
    expect(made.HolderDid).toBe(holderDid);
    expect((await rowsOf(made.CredentialDid))[0]?.holder_did ?? undefined).toBe(holderDid);
    expect(await listed(mode)).toContain(made.CredentialDid);
  });

  it.each([
    'urn:uuid:0d1f8c5e-9f0a-4f5b-8a52-1f0a4c1d2e3f',
    'mailto:ada@example.org',
    'https://example.org/ada',
    'did:example:org?person=ada',
    'did:example:org/cards/1',
    'did:example:org#1',
  ])('with the address %s gets a DID', async (id) => {
    const made = await importing({ id, subject: { name: 'Ada' } });
    expect(made.CredentialDid).toMatch(/^did:key:z/);
    expect((await rowsOf(made.CredentialDid))[0]?.dump).not.toContain(id);
  });

  it.each(['did:web:example.org%3A8443:cards:1', 'did:example:%2E%2E', 'did:ex4mple:A.b-c_d'])(
    'with the DID %s keeps it',
    async (id) => {
      expect((await importing({ id, subject: { name: 'Ada' } })).CredentialDid).toBe(id);
    },
  );
});

describe('a repeated import', () => {
  const YEARS_LATER = new Date('2099-01-01T00:00:00Z');
  const code = (expected: string) => expect.objectContaining({ code: expected });
  const importAt = (now: Date) =>
    importCredential({
      ...{ clock: () => now, random: randomBytes, findTenant: stage.tenants.findTenant },
      ...{ findWallet: stage.useCase(findWallet), understand: stage.draftDeps.understand, ...stage.adapters.issued },
    });

  it('is answered as before when its credential has ended, and nothing else is', async () => {
    const { apiKeyDigest, owner } = tenant;
    const document = await issued({ subject: { name: 'Ada' }, validUntil: new Date('2098-01-01T00:00:00Z') });
    const call = { apiKeyDigest, ...owner, document, idempotencyKey: 'ended'.padEnd(32, 'x') };
    const first = await importAt(new Date())(call);
    const late = importAt(YEARS_LATER);
    expect(await late(call)).toEqual(first);
    const ended = [
      { ...call, idempotencyKey: undefined },
      { ...call, idempotencyKey: 'another'.padEnd(32, 'x') },
      { ...call, metaData: { Labels: { other: 'input' } } },
    ];
    for (const other of ended) await expect(late(other)).rejects.toThrow(code('vc_expired'));
    expect(await rowsOf(first.CredentialDid)).toHaveLength(1);
  });
});
