import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { asTenant } from './adapters/postgres/tenant-scope';
import { EVERYBODY } from './domain/records';
import { BASE_URL, draftCalls, openSchemas, VALUES, type SchemaStage } from './testing/schemas.fixture-spec';
import type { Tenant } from './testing/wallet-store.fixture-spec';

const BUSY = expect.objectContaining({ code: 'tenant_busy' });
/** A third of the ten connections of the stage. */
const SHARE = 3;

let stage: SchemaStage;
let owner: Tenant;
let reader: Tenant;
/** What the owner has published. */
let schemaUrl: string;
let listUrl: string;
beforeAll(async () => {
  stage = await openSchemas();
  owner = stage.tenant;
  reader = await stage.newTenant();
  schemaUrl = (await stage.publishBadge()).data['meta_schema'] as string;
  const { create, issue } = draftCalls(stage);
  const { id } = await create({ meta_schema: schemaUrl, values: VALUES });
  const { data } = await issue(id, { status_purposes: ['revocation'] });
  const [entry] = [(data['document'] as JsonObject)['credentialStatus']].flat();
  listUrl = (entry as JsonObject)['statusListCredential'] as string;
});
afterAll(() => stage.close());

/** Does this while all connections of somebody's share are in use. */
async function whileBusy(who: string, work: () => Promise<void>): Promise<void> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const holders = Array.from({ length: SHARE }, () => asTenant(stage.database, who, () => held));
  try {
    await work();
  } finally {
    release();
    await Promise.all(holders);
  }
}

const understood = (tenant: string) => stage.draftDeps.understand(tenant);
const nameIn = (url: string): readonly string[] => url.slice(BASE_URL.length).split('/').slice(2);
/** The schema as those read it who need no key. */
function readInPublic() {
  const [tenant = '', slug = '', version = ''] = nameIn(schemaUrl);
  return stage.schemaStore.findPublished(EVERYBODY, { tenant, slug, version: Number(version) });
}

describe('what a tenant has published', () => {
  it('is read by others while all connections of its own share are in use', async () => {
    await whileBusy(owner.id, async () => {
      const { contexts, statusLists } = understood(reader.id);
      expect(await contexts.find(`${schemaUrl}/context`)).toBeDefined();
      expect(await contexts.findTexts(`${schemaUrl}/json-schema`)).toHaveLength(1);
      expect((await statusLists.find(listUrl)).purposes).toEqual(['revocation']);
      const body = {
        data: {
          meta_schema: schemaUrl,
          json_ld_vocabs: [`${schemaUrl}/context`],
          vcdm_json_schemas: [`${schemaUrl}/json-schema`],
          values: VALUES,
        },
      };
      const { id } = await stage.schemas.createDraft({ ...stage.asTenant(undefined, reader), body });
      await stage.schemas.issueDraft({ ...stage.asTenant(undefined, reader), id, body: {} });
      expect(await readInPublic()).toBeDefined();
    });
  });

  it.each([
    ['a context', (url: string) => understood(reader.id).contexts.find(`${url}/context`)],
    ['a document', (url: string) => understood(reader.id).contexts.findTexts(url)],
  ])('is read with the share of whoever refers to it, and so is what nobody has: %s', async (_name, read) => {
    const nowhere = `${BASE_URL}/schemas/${randomUUID()}/badge/1`;
    await whileBusy(reader.id, async () => {
      const reads = [read(schemaUrl), read(nowhere)].map((one) => expect(one).rejects.toEqual(BUSY));
      await Promise.all(reads);
    });
  });

  it('is read with the share of whoever refers to it: a status list', async () => {
    const { statusLists } = understood(reader.id);
    await whileBusy(reader.id, () => expect(statusLists.find(listUrl)).rejects.toEqual(BUSY));
  });

  it('has one share for all those who need no key, whichever tenants they ask about', async () => {
    await whileBusy(EVERYBODY, async () => {
      await expect(readInPublic()).rejects.toEqual(BUSY);
      expect(await understood(owner.id).contexts.find(`${schemaUrl}/context`)).toBeDefined();
    });
  });
});
