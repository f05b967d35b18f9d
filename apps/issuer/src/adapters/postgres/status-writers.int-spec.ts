import { localSigner } from '@vestibule/crypto';
import { statusListUrl } from '@vestibule/oid4vci';
import { readPublishedStatuses, readStatus } from '@vestibule/status-list';
import { createMetrics } from '@vestibule/process';
import type { CredentialStatus } from '../../domain/credential-status';
import { ISSUER_URL, NOW } from '../../testing/issuer.fixture-spec';
import { statusListOver } from '../../testing/running-issuer.fixture-spec';
import { statusListsOf, X5C, YEAR } from '../../testing/status-lists.fixture-spec';
import { at, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';
import { createWalletKey, type WalletKey } from '../../testing/wallet.fixture-spec';
import { createLossReport } from '../loss-report';

jest.setTimeout(180_000);

let stage: StoreStage;
/** A second connection, with which somebody without any key writes rows. */
let attacker: Awaited<ReturnType<StoreStage['open']>>;
let key: WalletKey;
beforeAll(async () => {
  [stage, key] = [await openStoreStage(), await createWalletKey()];
  attacker = await stage.open();
});
afterEach(() => stage.clear());
afterAll(async () => {
  await attacker.close();
  await stage.close();
});

const { issuedOffer } = statusListsOf(() => stage);
const LOST = 'the database has lost revocations of a status list: they stay in the list';
const change = (offerId: string, status: CredentialStatus) => stage.statusLists.changeStatus(offerId, status, NOW);

/** A replica, which forgets what it has seen when it ends. */
function openReplica() {
  const world = { now: NOW };
  const lines: unknown[] = [];
  const metrics = createMetrics('issuer');
  const logger = { error: (message: string, fields?: object) => void lines.push([message, fields]) };
  const signer = { ...localSigner(key.privateKey), x5c: X5C, certificateNotBefore: NOW, chainEndsAt: at(2 * YEAR) };
  const ask = statusListOver({
    clock: () => world.now,
    issuerUrl: ISSUER_URL,
    statusListTtlSeconds: 300,
    listSignerAt: () => signer,
    ...stage.statusLists,
    reportFailure: (error) => void lines.push(error),
    reportLostRevocations: createLossReport(logger, metrics),
  });
  const etagOf = async (listId: string, knownEtag?: string) => (await ask({ listId, knownEtag })).etag;
  const statusOf = async (listId: string, idx: number) => {
    const list = readPublishedStatuses((await ask({ listId })).token ?? '', 1_000_000);
    expect(list.uri).toBe(statusListUrl(ISSUER_URL, listId));
    return readStatus(list, idx);
  };
  const counted = async () =>
    /vestibule_status_lists_altered_total(?:\{.*\})? (\d+)/.exec(await metrics.render())?.[1] ?? '0';
  return { lines, etagOf, statusOf, counted, later: () => (world.now = at(3_600)) };
}

/** A credential that was revoked, and a list that says so. */
async function revoked() {
  const replica = openReplica();
  const offer = await issuedOffer();
  const { idx } = offer.references[0] as { idx: number };
  await change(offer.offerId, 'revoked');
  expect(await replica.statusOf(offer.listId, idx)).toBe(1);
  return { ...offer, idx, replica };
}

const TOUCH = 'UPDATE issuer.status_list SET version = version + 1';

describe('a revoked credential stays revoked, and somebody is told, when in the database', () => {
  it.each([
    ['its entry is valid again', 'UPDATE issuer.status_entry SET status = 0'],
    ['its entry is suspended', 'UPDATE issuer.status_entry SET status = 2'],
    ['its entry is deleted', 'DELETE FROM issuer.status_entry'],
    ['its entry has another index', 'UPDATE issuer.status_entry SET idx = (idx + 1) % 1024'],
    ['its entry is in another list', 'UPDATE issuer.status_entry SET list_number = list_number + 1'],
  ])('%s', async (_what, sql) => {
    const { listId, idx } = await revoked();
    await attacker.query(sql);
    await attacker.query(TOUCH);
    const other = openReplica();
    expect(await other.statusOf(listId, idx)).toBe(1);
    expect(other.lines).toEqual([[LOST, { list: listId, lost: 1 }]]);
    expect(await other.counted()).toBe('1');
  });

  it('the published list is gone, too, for the replicas that have built it', async () => {
    const { listId, idx, replica } = await revoked();
    await attacker.query('UPDATE issuer.status_entry SET status = 0');
    await attacker.query(`UPDATE issuer.status_list
      SET token = NULL, etag = NULL, published_version = NULL, published_at = NULL, signed_with = NULL`);
    expect(await replica.statusOf(listId, idx)).toBe(1);
    expect(replica.lines).toEqual([[LOST, { list: listId, lost: 1 }]]);
    // And then again for all.
    expect(await openReplica().statusOf(listId, idx)).toBe(1);
  });

  it('it takes the address of another list, with the entries of that', async () => {
    const { listId, idx, replica } = await revoked();
    await attacker.query(`INSERT INTO issuer.status_list (list_id, size, closed_at) VALUES ($1, 1024, now())`, [
      Buffer.alloc(16, 1),
    ]);
    await attacker.query(
      `UPDATE issuer.status_entry SET list_number = (SELECT max(list_number) FROM issuer.status_list)`,
    );
    await attacker.query(TOUCH);
    expect(await replica.statusOf(listId, idx)).toBe(1);
    expect(replica.lines).toEqual([[LOST, { list: listId, lost: 1 }]]);
  });

  it('an older list is put back, for the replicas that have built the newer one, at the latest when that ends', async () => {
    const replica = openReplica();
    const { offerId, listId, references } = await issuedOffer();
    const { idx } = references[0] as { idx: number };
    expect(await replica.statusOf(listId, idx)).toBe(0);
    await attacker.query('CREATE TABLE issuer.copy AS TABLE issuer.status_list');
    await change(offerId, 'revoked');
    expect(await replica.statusOf(listId, idx)).toBe(1);
    await attacker.query('UPDATE issuer.status_entry SET status = 0');
    await attacker.query(`UPDATE issuer.status_list AS list SET version = copy.version, token = copy.token, etag = copy.etag,
      published_version = copy.published_version, published_at = copy.published_at FROM issuer.copy AS copy`);
    await attacker.query('DROP TABLE issuer.copy');
    replica.later();
    expect(await replica.statusOf(listId, idx)).toBe(1);
    expect(replica.lines).toEqual([[LOST, { list: listId, lost: 1 }]]);
  });
});

describe('a replica that has only passed a list on remembers what was revoked in it, when in the database', () => {
  /** A revoked credential, the list from before, and a replica that has not built the one after. */
  async function passedOn() {
    const builder = openReplica();
    const { offerId, listId, references } = await issuedOffer();
    const { idx } = references[0] as { idx: number };
    await builder.statusOf(listId, idx);
    const [older] = await attacker.query<{ token: string; etag: string }>('SELECT token, etag FROM issuer.status_list');
    await change(offerId, 'revoked');
    const etag = await builder.etagOf(listId);
    const other = openReplica();
    return { listId, idx, etag, older: older as { token: string; etag: string }, other };
  }
  const setBack = () => attacker.query('UPDATE issuer.status_entry SET status = 0');
  const told = (listId: string) => [[LOST, { list: listId, lost: 1 }]];

  it('the one from before is put in its place', async () => {
    const { listId, idx, older, other } = await passedOn();
    expect(await other.statusOf(listId, idx)).toBe(1);
    await setBack();
    await attacker.query('UPDATE issuer.status_list SET token = $1, etag = $2', [older.token, older.etag]);
    expect(await other.statusOf(listId, idx)).toBe(1);
    expect(other.lines).toEqual(told(listId));
  });

  it('that is put there for a gateway that had the newer one already', async () => {
    const { listId, idx, etag, older, other } = await passedOn();
    expect(await other.etagOf(listId, etag)).toBe(etag);
    await setBack();
    await attacker.query('UPDATE issuer.status_list SET token = $1, etag = $2', [older.token, older.etag]);
    expect(await other.statusOf(listId, idx)).toBe(1);
    expect(other.lines).toEqual(told(listId));
  });

  it('that is put there under the name of the newer one', async () => {
    const { listId, idx, older, other } = await passedOn();
    expect(await other.statusOf(listId, idx)).toBe(1);
    await attacker.query('UPDATE issuer.status_list SET token = $1', [older.token]);
    expect(await other.statusOf(listId, idx)).toBe(1);
    // Its entry is as it was: nothing is lost.
    expect(other.lines).toEqual([]);
  });

  it.each(['nothing at all', 'a.b.c'])('what is published is %s', async (token) => {
    const { listId, idx, other } = await passedOn();
    expect(await other.statusOf(listId, idx)).toBe(1);
    await setBack();
    await attacker.query('UPDATE issuer.status_list SET token = $1', [token]);
    expect(await other.statusOf(listId, idx)).toBe(1);
    expect(other.lines).toEqual(told(listId));
  });
});

describe('nobody is told', () => {
  it('of what a backend does: suspensions that end, more revocations', async () => {
    const { listId, idx, replica } = await revoked();
    const { offerId, references } = await issuedOffer();
    const other = references[0] as { idx: number };
    const seen: number[] = [];
    for (const status of ['suspended', 'valid', 'revoked'] as const) {
      await change(offerId, status);
      seen.push(await replica.statusOf(listId, other.idx));
    }
    expect([...seen, await replica.statusOf(listId, idx)]).toEqual([2, 0, 1, 1]);
    expect([replica.lines, await replica.counted()]).toEqual([[], '0']);
  });

  it('of a list whose credentials have all expired, while it is deleted', async () => {
    const { listId, idx, replica } = await revoked();
    await attacker.query('UPDATE issuer.status_list SET closed_at = now()');
    await attacker.query('DELETE FROM issuer.status_entry');
    replica.later();
    expect(await replica.statusOf(listId, idx)).toBe(1);
    expect(replica.lines).toEqual([]);
  });
});
