import type { Draft } from './domain/drafts';
import { TRANSITIONS, type ContentOperation } from './domain/transitions';
import type { ContentState } from './domain/records';
import { openWalletStore, type Tenant, type WalletStoreStage } from './testing/wallet-store.fixture-spec';
import { abandonDraft, changeDraft, getDraft } from './use-cases/change-draft';
import { issueDraft } from './use-cases/issue-draft';

const code = (expected: string) => expect.objectContaining({ code: expected });
const MARKER = 'canary-claim-value';
let stage: WalletStoreStage;
let tenant: Tenant;

beforeAll(async () => {
  stage = await openWalletStore();
  tenant = await stage.newTenant();
});
afterAll(() => stage.close());

const claims = {
  types: [],
  contexts: ['https://www.w3.org/ns/credentials/undefined-terms/v2'],
  credentialSubject: { name: MARKER },
  credentialSchema: [],
};
const change = (did: string, operation: ContentOperation, ifRevision?: number): Promise<Draft> => {
  const input = { tenant: tenant.id, did, ifRevision };
  if (operation === 'abandon') return abandonDraft(stage.draftDeps)(input);
  if (operation === 'issue')
    return issueDraft(stage.draftDeps)(
      input,
      () => claims,
      () => Promise.resolve(),
    );
  return changeDraft(stage.draftDeps)({ ...input, operation: 'update' }, (draft) => ({
    ...draft,
    source: { updated: true },
  }));
};
async function draftIn(state: ContentState): Promise<Draft> {
  const draft = await stage.newDraft(tenant);
  if (state === 'draft') return draft;
  return change(draft.did, state === 'issued' ? 'issue' : 'abandon');
}

describe('drafts in Postgres', () => {
  it('are credentials in state draft, with a sealed body and source', async () => {
    const { did } = await stage.newDraft(tenant, { source: { values: MARKER }, body: { id: 'x', claim: MARKER } });
    const [row] = await stage.asTenant(tenant.id, (query) =>
      query<{ text: string; revision: number; state: string }>(
        `SELECT c::text AS text, revision, state FROM wallet_store.credential c WHERE did = $1`,
        [did],
      ),
    );
    expect(row).toMatchObject({ revision: 1, state: 'draft' });
    expect(row?.text).not.toContain(MARKER);
    expect(row?.text).not.toContain(Buffer.from(MARKER).toString('hex'));
    await expect(getDraft(stage.draftDeps)(tenant.id, did)).resolves.toMatchObject({ source: { values: MARKER } });
  });

  it('are found by their own tenant only', async () => {
    const { did } = await stage.newDraft(tenant);
    const foreign = await stage.newTenant();
    await expect(getDraft(stage.draftDeps)(foreign.id, did)).rejects.toThrow(code('draft_not_found'));
    await expect(getDraft(stage.draftDeps)(tenant.id, 'did:x:\u0000')).rejects.toThrow(code('draft_not_found'));
  });

  const states: ContentState[] = ['draft', 'issued', 'abandoned'];
  const operations: Exclude<ContentOperation, 'present'>[] = ['update', 'issue', 'abandon'];
  const cases = states.flatMap((state) => operations.map((operation) => [state, operation] as const));
  it.each(cases)('in state %s: %s follows the table of transitions', async (state, operation) => {
    const draft = await draftIn(state);
    const { from, to } = TRANSITIONS[operation];
    if (from.includes(state)) {
      await expect(change(draft.did, operation)).resolves.toMatchObject({ state: to, revision: draft.revision + 1 });
    } else {
      await expect(change(draft.did, operation)).rejects.toThrow(code('transition_forbidden'));
      await expect(getDraft(stage.draftDeps)(tenant.id, draft.did)).resolves.toEqual(draft);
    }
  });

  it.each([undefined, 1])('of 8 parallel changes with If-Match %s exactly one wins, and none is lost', async (etag) => {
    const { did } = await stage.newDraft(tenant);
    const draft = await getDraft(stage.draftDeps)(tenant.id, did);
    // All have read revision 1 before any writes.
    const deps = { ...stage.draftDeps, findDraft: () => Promise.resolve(draft) };
    const attempts = Array.from({ length: 8 }, (_, number) =>
      changeDraft(deps)({ tenant: tenant.id, did, operation: 'update', ifRevision: etag }, (read) => ({
        ...read,
        source: { number },
      })),
    );
    const outcomes = await Promise.allSettled(attempts);
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    const reason = code(etag === undefined ? 'concurrent_change' : 'revision_mismatch');
    for (const outcome of outcomes) expect([winners[0], { status: 'rejected', reason }]).toContainEqual(outcome);
    const after = await getDraft(stage.draftDeps)(tenant.id, did);
    expect(after.revision).toBe(2);
    expect(after.source).toEqual(winners[0]?.value.source);
  });

  it('with an outdated If-Match stay as they are', async () => {
    const { did } = await stage.newDraft(tenant);
    await change(did, 'update', 1);
    await expect(change(did, 'update', 1)).rejects.toThrow(code('revision_mismatch'));
    await expect(change(did, 'update', 2)).resolves.toMatchObject({ revision: 3 });
  });

  it('keep their source and their time of creation when they are issued', async () => {
    const draft = await stage.newDraft(tenant, { source: { values: MARKER } });
    await change(draft.did, 'issue');
    const issued = await getDraft(stage.draftDeps)(tenant.id, draft.did);
    expect(issued).toMatchObject({ state: 'issued', createdAt: draft.createdAt, source: { values: MARKER } });
    expect(issued.body).toMatchObject({
      id: draft.did,
      issuer: tenant.owner.entityDid,
      credentialSubject: { name: MARKER },
      proof: { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019', proofPurpose: 'assertionMethod' },
    });
  });
});
