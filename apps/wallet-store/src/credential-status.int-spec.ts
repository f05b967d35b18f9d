import type { JsonObject } from '@vestibule/foundation';
import { canonicalize, verifyCredential, verifyStatusListCredential } from '@vestibule/vcdm';
import { asTenant } from './adapters/postgres/tenant-scope';
import { BASE_URL, draftCalls, openSchemas, VALUES, type SchemaStage } from './testing/schemas.fixture-spec';
import type { Tenant } from './testing/wallet-store.fixture-spec';
import { drawCredentialStatus } from './use-cases/draw-credential-status';

jest.setTimeout(180_000);

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly statusPurpose: string;
  readonly statusListIndex: string;
  readonly statusListCredential: string;
}
type Status = 'valid' | 'suspended' | 'revoked';

let stage: SchemaStage;
let calls: ReturnType<typeof draftCalls>;
let meta_schema: unknown;
beforeAll(async () => {
  stage = await openSchemas();
  calls = draftCalls(stage);
  meta_schema = (await stage.publishBadge()).data['meta_schema'];
});
afterAll(() => stage?.close());

const newDraft = async () => (await calls.create({ meta_schema, values: VALUES })).id;
const entriesOf = (document: JsonObject) => [document['credentialStatus'] ?? []].flat() as unknown as Entry[];

/** Issues a new draft; its document and its entries. */
async function issue(...status_purposes: string[]) {
  const id = await newDraft();
  const { data } = await calls.issue(id, { status_purposes });
  const document = data['document'] as JsonObject;
  return { id, document, entries: entriesOf(document) };
}

const change = (id: string, status: Status, who?: Tenant) =>
  stage.schemas.changeCredentialStatus({ ...stage.asTenant(undefined, who), id, body: { status } });
const statusOf = async (id: string) => (await stage.schemas.getCredentialStatus({ ...stage.asTenant(), id })).status;
const options = () => ({ now: new Date(), skewSeconds: 60, contexts: stage.contexts, canonicalize });
const verify = (document: JsonObject) =>
  verifyCredential(document, { ...options(), statusLists: stage.draftDeps.understand(stage.tenant.id).statusLists });
const code = (text: string) => expect.objectContaining({ code: text });

/** What everybody gets at the address of a list. */
async function served(url: string, knownEtag?: string) {
  const [tenant = '', listId = ''] = url.slice(`${BASE_URL}/credential-status/`.length).split('/');
  return stage.schemas.getStatusListCredential({ tenant, listId, ...(knownEtag ? { knownEtag } : {}) });
}
async function bitAt({ statusListCredential: url, statusListIndex }: Entry) {
  const { json = '' } = await served(url);
  const { bits } = await verifyStatusListCredential(JSON.parse(json), url, options());
  const index = Number(statusListIndex);
  return ((bits[index >> 3] as number) >> (7 - (index & 7))) & 1;
}

describe('17.8 a credential whose draft asks for a status', () => {
  it('names an entry for each purpose, in lists of its issuer', async () => {
    const { entries, document } = await issue('revocation', 'suspension');
    expect(entries.map(({ type, statusPurpose }) => [type, statusPurpose])).toEqual([
      ['BitstringStatusListEntry', 'revocation'],
      ['BitstringStatusListEntry', 'suspension'],
    ]);
    for (const { id, statusListIndex, statusListCredential: url } of entries) {
      expect(id).toBe(`${url}#${statusListIndex}`);
      expect(Number(statusListIndex)).toBeLessThan(131_072);
      const { json = '' } = await served(url);
      expect((JSON.parse(json) as JsonObject)['issuer']).toBe(document['issuer']);
    }
    expect(new Set(entries.map((one) => one.statusListCredential)).size).toBe(2);
    await expect(verify(document)).resolves.toBeDefined();
  });

  it('has none without, and then no status to change', async () => {
    const { id, document } = await issue();
    expect(document).not.toHaveProperty('credentialStatus');
    await expect(change(id, 'revoked')).rejects.toEqual(code('credential_without_status'));
    await expect(statusOf(id)).rejects.toEqual(code('credential_without_status'));
  });

  it('is refused once it is revoked, for ever, and its list says so', async () => {
    const { id, document, entries } = await issue('revocation');
    expect([await statusOf(id), await bitAt(entries[0] as Entry)]).toEqual(['valid', 0]);
    expect(await change(id, 'revoked')).toEqual({ id, status: 'revoked', status_purposes: ['revocation'] });
    expect([await statusOf(id), await bitAt(entries[0] as Entry)]).toEqual(['revoked', 1]);
    await expect(verify(document)).rejects.toEqual(code('vc_revoked'));
    await expect(change(id, 'valid')).rejects.toEqual(code('credential_revocation_final'));
    expect(await change(id, 'revoked')).toMatchObject({ status: 'revoked' });
    await expect(change(id, 'suspended')).rejects.toEqual(code('credential_without_status'));
    await expect(verify(document)).rejects.toEqual(code('vc_revoked'));
  });

  it('is refused while it is suspended, and may then be revoked', async () => {
    const { id, document } = await issue('revocation', 'suspension');
    await change(id, 'suspended');
    expect(await statusOf(id)).toBe('suspended');
    await expect(verify(document)).rejects.toEqual(code('vc_suspended'));
    await change(id, 'valid');
    await change(id, 'valid');
    await expect(verify(document)).resolves.toBeDefined();
    await change(id, 'suspended');
    await change(id, 'revoked');
    await expect(verify(document)).rejects.toEqual(code('vc_revoked'));
    await expect(change(id, 'valid')).rejects.toEqual(code('credential_revocation_final'));
    await expect(change(id, 'suspended')).rejects.toEqual(code('credential_revocation_final'));
  });

  it('cannot be suspended if it was issued for revocation alone, nor the other way round', async () => {
    const [one, other] = [await issue('revocation'), await issue('suspension')];
    await expect(change(one.id, 'suspended')).rejects.toEqual(code('credential_without_status'));
    await expect(change(other.id, 'revoked')).rejects.toEqual(code('credential_without_status'));
    expect([await statusOf(one.id), await statusOf(other.id)]).toEqual(['valid', 'valid']);
  });

  it('stays revoked, whatever comes at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await issue('revocation', 'suspension');
      await change(id, 'suspended');
      const others = (['valid', 'suspended', 'valid'] as const).map((status) => change(id, status));
      await Promise.allSettled([...others, change(id, 'revoked'), change(id, 'valid')]);
      expect(await statusOf(id)).toBe('revoked');
    }
  });

  it('changes nothing for its neighbours', async () => {
    const [one, other] = [await issue('revocation'), await issue('revocation')];
    await change(one.id, 'revoked');
    expect(one.entries[0]?.statusListCredential).toBe(other.entries[0]?.statusListCredential);
    expect([await bitAt(one.entries[0] as Entry), await bitAt(other.entries[0] as Entry)]).toEqual([1, 0]);
    await expect(verify(other.document)).resolves.toBeDefined();
  });

  it('is not found by another tenant, nor before it is issued', async () => {
    const { id } = await issue('revocation');
    const stranger = await stage.newTenant();
    await expect(change(id, 'revoked', stranger)).rejects.toEqual(code('credential_not_found'));
    await expect(change(await newDraft(), 'revoked')).rejects.toEqual(code('credential_not_found'));
    await expect(change('did:key:\u0000', 'revoked')).rejects.toEqual(code('credential_not_found'));
    expect(await statusOf(id)).toBe('valid');
  });

  it.each([
    [{ status_purposes: ['message'] }, 'status_purposes[0]'],
    [{ status_purposes: ['revocation', 'revocation'] }, 'status_purposes'],
    [{ status_purposes: 'revocation' }, 'status_purposes'],
  ])('%j is refused', async (body, path) => {
    const issued = calls.issue(await newDraft(), body);
    await expect(issued).rejects.toMatchObject({ code: 'invalid_request', faults: [{ path }] });
  });
});

describe('17.8 the indexes of status lists', () => {
  const rows = <Row extends object>(sql: string, parameters: readonly unknown[] = []) =>
    stage.outside<Row>(sql, parameters);

  it('differ, however many credentials are issued at the same time', async () => {
    const issued = await Promise.all(Array.from({ length: 40 }, () => issue('revocation', 'suspension')));
    const ids = issued.flatMap(({ entries }) => entries.map(({ id }) => id));
    expect(new Set(ids).size).toBe(80);
    const lists = issued.flatMap(({ entries }) => entries.map((one) => one.statusListCredential));
    expect(new Set(lists).size).toBe(2);
  });

  it('stay with a draft: another try to issue it does not take others', async () => {
    const draw = stage.useCase(drawCredentialStatus);
    const draft = { did: await newDraft(), entityDid: stage.tenant.owner.entityDid };
    const tries = Array.from({ length: 8 }, () => draw(stage.tenant.id, draft, ['revocation', 'suspension']));
    const [first, ...others] = await Promise.all(tries);
    for (const other of others) expect(other).toEqual(first);
  });

  it('come from a new list once theirs is full; credentials in the full one keep their status', async () => {
    const { id, entries } = await issue('suspension');
    const [{ statusListCredential: full = '' } = {}] = entries;
    await rows(
      `INSERT INTO wallet_store.status_entry (list_id, idx, tenant_id, purpose, credential_did)
       SELECT list_id, idx, tenant_id, purpose, 'filler-' || idx
       FROM wallet_store.status_list CROSS JOIN generate_series(0, size - 1) AS idx WHERE list_id = $1
       ON CONFLICT DO NOTHING`,
      [Buffer.from(full.split('/').at(-1) ?? '', 'base64url')],
    );
    const next = await Promise.all(Array.from({ length: 8 }, () => issue('suspension')));
    const urls = new Set(next.map((one) => one.entries[0]?.statusListCredential));
    expect([urls.size, urls.has(full)]).toEqual([1, false]);
    await change(id, 'suspended');
    expect(await bitAt(entries[0] as Entry)).toBe(1);
  });
});

describe('17.8 a status list that everybody can read', () => {
  it('is replaced where a clock was a day ahead when it was signed, which no verifier would accept', async () => {
    const { entries } = await issue('revocation');
    const url = entries[0]?.statusListCredential ?? '';
    const before = (await served(url)).etag;
    expect((await served(url)).etag).toBe(before);
    const ahead = `UPDATE wallet_store.status_list SET published_at = now() + interval '1 day'
      WHERE published_at IS NOT NULL RETURNING 1 AS changed`;
    const changed = await asTenant(stage.database, stage.tenant.id, ({ query }) => query(ahead));
    expect(changed.length).toBeGreaterThan(0);
    const { etag, json = '' } = await served(url);
    expect(etag).not.toBe(before);
    await verifyStatusListCredential(JSON.parse(json), url, options());
    expect((await served(url)).etag).toBe(etag);
  });

  it('is signed once for many readers, and anew after a change alone', async () => {
    const { id, entries } = await issue('revocation');
    const url = entries[0]?.statusListCredential ?? '';
    const first = await Promise.all(Array.from({ length: 10 }, () => served(url)));
    expect(new Set(first.map(({ etag }) => etag)).size).toBe(1);
    const { etag = '' } = first[0] ?? {};
    expect(await served(url, etag)).toEqual({ etag, maxAgeSeconds: 60 });
    await change(id, 'revoked');
    const after = await served(url, etag);
    expect(after.etag).not.toBe(etag);
    await change(id, 'revoked');
    expect((await served(url)).etag).toBe(after.etag);
  });

  it.each([
    ['another list', `${BASE_URL}/credential-status/00000000-0000-4000-8000-000000000000/${'A'.repeat(22)}`],
    ['a broken name', `${BASE_URL}/credential-status/x/y`],
    ['NUL', `${BASE_URL}/credential-status/\u0000/${'A'.repeat(22)}`],
  ])('is not found under %s', async (_what, url) => {
    await expect(served(url)).rejects.toEqual(code('credential_status_list_not_found'));
  });

  it('does not speak for credentials of another issuer, and is not fetched', async () => {
    const { document } = await issue('revocation');
    const other = await stage.newTenant();
    const { statusLists } = stage.draftDeps.understand(other.id);
    const [{ statusListCredential = '' } = {}] = entriesOf(document);
    expect(await statusLists.find(statusListCredential)).toMatchObject({ issuerDid: document['issuer'] });
    const missing = `${statusListCredential.slice(0, -22)}${'A'.repeat(22)}`;
    await expect(statusLists.find(missing)).rejects.toEqual(code('vc_status_list_invalid'));
    await expect(statusLists.find('https://status.example/1')).rejects.toEqual(code('vc_status_host_not_allowed'));
  });
});
