import { startCallbackReceiver, startStack, type Stack } from '@vestibule/dev-stack';
import { Client } from 'pg';
import { call, newOwner, send, signedCredential, type Members, type Owner } from './wallet-content';

const CREDENTIALS = 10_000;
const CALLS = 200;
const print = (text: string) => void process.stdout.write(`${text}\n`);

const SEED = `
  INSERT INTO wallet_store.credential (did, revision, latest, tenant_id, wallet_did, entity_did, state, issuer_did,
    holder_did, types, body, labels, annotations, created_at, updated_at)
  SELECT 'did:example:' || n, 1, true, tenant_id, did, entity_did,
    CASE WHEN n % 10 = 0 THEN 'draft' ELSE 'issued' END, 'did:example:issuer',
    CASE WHEN n % 4 = 0 THEN 'did:example:holder' ELSE entity_did END, '{VerifiableCredential}', '\\x00',
    jsonb_build_object('tier', CASE WHEN n % 100 = 7 THEN 'gold' ELSE 'silver' END), '{}',
    now() - n * interval '1 second', now()
  FROM wallet_store.wallet, generate_series(1, $2::int) AS n WHERE did = $1`;

/** The statement of a list as the store sends it, without the parts that an absent filter does not need. */
const PLAN = `
  EXPLAIN (ANALYZE, COSTS OFF, BUFFERS OFF, TIMING OFF)
  SELECT did, revision, state, labels FROM wallet_store.credential
  WHERE tenant_id = $1 AND entity_did = $2 AND wallet_did = $3 AND latest
    AND coalesce(holder_did = entity_did, NOT presented) AND state = 'issued'
    AND labels @> '{"tier": "gold"}'
  ORDER BY created_at, did LIMIT 101`;

/** As the role of the service, bound to the tenant: row-level security is part of the plan. */
async function explain(client: Client, { entityDid, walletDid }: Owner): Promise<readonly string[]> {
  const { rows } = await client.query<{ tenant: string; role: string }>(
    `SELECT w.tenant_id AS tenant, t.tableowner AS role FROM wallet_store.wallet w, pg_tables t
     WHERE w.did = $1 AND t.schemaname = 'wallet_store' AND t.tablename = 'credential'`,
    [walletDid],
  );
  const [found] = rows;
  if (!found) throw new Error('the wallet of the bench is missing');
  await client.query('BEGIN');
  await client.query(`SELECT set_config('role', $1, true), set_config('vestibule.tenant', $2, true)`, [
    found.role,
    found.tenant,
  ]);
  const plan = await client.query<Record<string, string>>(PLAN, [found.tenant, entityDid, walletDid]);
  await client.query('ROLLBACK');
  return plan.rows.map((row) => row['QUERY PLAN'] ?? '');
}

/** Milliseconds of each call, made sequentially; the first tenth is omitted as warm-up. */
async function measure(name: string, count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const started = performance.now();
    await run(index);
    taken.push(performance.now() - started);
  }
  const sorted = taken.slice(Math.floor(count / 10)).sort((left, right) => left - right);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(1);
  print(`${name.padEnd(60)} p50 ${at(0.5).padStart(6)} ms   p95 ${at(0.95).padStart(6)} ms`);
}

async function benchLists(stack: Stack, client: Client): Promise<Owner> {
  const owner = await newOwner(stack);
  await client.query(SEED, [owner.walletDid, CREDENTIALS]);
  await client.query('ANALYZE wallet_store.credential');
  const query = new URLSearchParams({ ...owner }).toString();
  const list = (filter: string) => () => call(stack, 'GET', `/credentials?${query}${filter}`);
  await measure('first page of 100, no filter', CALLS, list(''));
  await measure('first page of 100, state=issued&queryMode=Held', CALLS, list('&state=issued&queryMode=Held'));
  await measure('first page, labelSelector of 1 in 100', CALLS, list('&labelSelector=tier%3Dgold'));
  const all = '&state=issued&queryMode=Held&labelSelector=tier%3Dgold';
  await measure('first page, all three filters', CALLS, list(all));
  return owner;
}

async function benchDocuments(stack: Stack): Promise<void> {
  const [holder, verifier] = [await newOwner(stack), await newOwner(stack)];
  const query = new URLSearchParams({ ...holder }).toString();
  const target = new URLSearchParams({ ...verifier }).toString();
  const credentials = await Promise.all(Array.from({ length: CALLS }, () => signedCredential(holder.entityDid)));
  const dids: string[] = [];
  await measure('POST /credentials (verify and import)', CALLS, async (index) => {
    const imported = await call(stack, 'POST', `/credentials?${query}`, { Body: credentials[index] });
    dids.push(String(imported['CredentialDid']));
  });
  const presentations: string[] = [];
  await measure('POST /vp (one credential)', CALLS, async (index) => {
    const made = await call(stack, 'POST', `/vp?${query}`, { CredentialDids: [dids[index]] });
    presentations.push(String(made['PresentationDid']));
  });
  const each = (path: string) => (index: number) => call(stack, 'POST', `/vp/${presentations[index]}/${path}`);
  await measure('POST /vp/{did}/issue', CALLS, each('issue'));
  await measure('POST /vp/{did}/present', CALLS, each(`present?${target}`));
}

/** Creates a schema of two claims, then creates and issues drafts of it. */
async function benchDrafts(stack: Stack): Promise<void> {
  const query = new URLSearchParams({ ...(await newOwner(stack)) }).toString();
  const fields = ['given_name', 'family_name'].map((name) => ({ kind: 'STRING', value: { name, not_empty: true } }));
  const schema = await send(stack, 'POST', '/schemas', { data: { schema: { fields } } });
  const { data } = await send(stack, 'PATCH', `/schemas/${String(schema['id'])}/publish`, { slug: 'city-card' });
  const { meta_schema } = data as Members;
  const values = { given_name: { kind: 'STRING', value: 'Ada' }, family_name: { kind: 'STRING', value: 'Example' } };
  const drafts: string[] = [];
  await measure('POST /drafts (published schema, two values)', CALLS, async () => {
    const draft = await send(stack, 'POST', `/drafts?${query}`, { data: { meta_schema, values } });
    drafts.push(String(draft['id']));
  });
  await measure('POST /drafts/{id}/issue', CALLS, (index) => send(stack, 'POST', `/drafts/${drafts[index]}/issue`, {}));
}

/**
 * `npm run bench:wallet-store`: the time of lists of a wallet with 10,000 credentials, and of signatures, through HTTP.
 */
export async function main(): Promise<number> {
  const backend = await startCallbackReceiver();
  const stack = await startStack({
    callbackUrl: backend.url,
    environment: { gateway: { RATE_LIMIT_PER_MINUTE: '0' } },
  });
  const client = new Client({ connectionString: stack.databaseAdminUrl });
  try {
    await client.connect();
    print(`${CREDENTIALS} credentials in one wallet, one caller, ${CALLS} calls each\n`);
    const owner = await benchLists(stack, client);
    await benchDocuments(stack);
    await benchDrafts(stack);
    print(`\n${(await explain(client, owner)).join('\n')}`);
    return 0;
  } finally {
    await client.end();
    await stack.stop();
    await backend.stop();
  }
}
