import { startStage, type Stage } from './stage';
import { createWalletApi, newTenantKey, ownerQuery, runApiKeys, type OwnedWallet, type WalletApi } from './wallet-api';
import { createW3cIssuer } from './w3c-issuer';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}
/** The ids of one tenant, by what they name. */
type Ids = OwnedWallet & { readonly credentialDid: string; readonly presentationDid: string };

const BASE = '/api/wallet/v1';
let stage: Stage;
let api: WalletApi;
let own: Ids;
let foreign: Ids;
let operations: { method: string; path: string; operation: Operation }[];

async function idsOf(tenant: WalletApi): Promise<Ids> {
  const owner = await tenant.newWallet();
  const credentialDid = await tenant.importCredential(owner, await (await createW3cIssuer()).issue({ name: 'Ada' }));
  const presentationDid = await tenant.newPresentation(owner, credentialDid);
  await tenant.call('POST', `/vp/${presentationDid}/issue`);
  return { ...owner, credentialDid, presentationDid };
}

beforeAll(async () => {
  stage = await startStage();
  const { baseUrl, managementUrl } = stage.stack;
  api = createWalletApi(baseUrl, stage.stack.files.secrets.apiKey);
  const theirs = createWalletApi(baseUrl, await newTenantKey(stage, 'other'));
  [own, foreign] = [await idsOf(api), await idsOf(theirs)];
  const description = (await (await fetch(`${managementUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  operations = Object.entries(description.paths)
    .filter(([path]) => path.startsWith(BASE))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
}, 180_000);
afterAll(() => stage?.stop(), 60_000);

/** Which id a parameter of an operation takes. */
function slotOf(path: string, name: string): keyof Ids | undefined {
  if (name === 'entityDid' || name === 'walletDid') return name;
  if (name === 'did') return path.includes('/vp') ? 'presentationDid' : 'credentialDid';
  return undefined;
}

/** The slots of an operation: those of its address, and of a body that names credentials. */
function slotsOf({ path, operation }: (typeof operations)[number]): (keyof Ids)[] {
  const named = (operation.parameters ?? []).flatMap(({ name }) => slotOf(path, name) ?? []);
  return operation.operationId === 'createPresentation' ? [...named, 'credentialDid'] : named;
}

async function callWith({ method, path, operation }: (typeof operations)[number], ids: Ids) {
  const query = new URLSearchParams();
  let address = path.slice(BASE.length);
  for (const { name, in: place } of operation.parameters ?? []) {
    const slot = slotOf(path, name);
    if (slot && place === 'path') address = address.replace(`{${name}}`, ids[slot]);
    if (slot && place === 'query') query.set(name, ids[slot]);
  }
  const bodies: Record<string, object> = {
    createPresentation: { CredentialDids: [ids.credentialDid] },
    importCredential: { Body: { '@context': ['https://www.w3.org/ns/credentials/v2'] } },
  };
  return api.call(method, `${address}?${query.toString()}`, bodies[operation.operationId]);
}

describe('a tenant', () => {
  it('gets 404 from every operation for every id of another tenant, alone or with others, and sees nothing of it', async () => {
    expect(operations.length).toBeGreaterThanOrEqual(11);
    let calls = 0;
    for (const operation of operations) {
      const slots = slotsOf(operation);
      const choices = Array.from({ length: 2 ** slots.length - 1 }, (_, index) => index + 1);
      for (const choice of choices) {
        const foreignSlots = slots.filter((_, bit) => (choice & (1 << bit)) !== 0);
        const ids = { ...own, ...Object.fromEntries(foreignSlots.map((slot) => [slot, foreign[slot]])) };
        const { status, body, items } = await callWith(operation, ids);
        const called = [operation.operation.operationId, ...foreignSlots];
        expect([...called, status, items]).toEqual([...called, 404, []]);
        expect(body['code']).toMatch(/_not_found$/);
        calls += 1;
      }
    }
    expect(calls).toBeGreaterThan(40);
  });

  it('gets the same answer for a foreign id as for one that does not exist', async () => {
    for (const operation of operations) {
      for (const slot of slotsOf(operation)) {
        const answers = [foreign[slot], 'did:key:zUnknown'].map((did) => callWith(operation, { ...own, [slot]: did }));
        const [theirs, unknown] = await Promise.all(answers);
        expect(theirs?.body).toEqual({ ...unknown?.body, instance: theirs?.body['instance'] });
      }
    }
  });

  it('finds what is its own with the same calls', async () => {
    const reads = operations.filter(({ method }) => method === 'GET');
    for (const operation of reads) expect((await callWith(operation, own)).status).toBe(200);
    expect((await api.get(`/credentials?${ownerQuery(own)}`)).items).toHaveLength(1);
  });
});

describe('the X-API-KEY header', () => {
  // Each run of the command is a process of its own.
  const PROCESSES_MILLISECONDS = 60_000;

  it(
    'belongs to a tenant: keys are made, listed and revoked by an operator command',
    async () => {
      const key = await newTenantKey(stage, 'second');
      const theirs = createWalletApi(stage.stack.baseUrl, key);
      expect(await theirs.newWallet()).toMatchObject({ walletDid: expect.stringMatching(/^did:key:/) });
      const [listed = ''] = await runApiKeys(stage, 'list', '--tenant', 'second');
      const [id = ''] = listed.split('\t');
      await runApiKeys(stage, 'revoke', '--id', id);
      expect((await theirs.call('POST', '/entity')).status).toBe(401);
      expect(stage.logLines.join('')).not.toContain(key);
    },
    PROCESSES_MILLISECONDS,
  );
});
