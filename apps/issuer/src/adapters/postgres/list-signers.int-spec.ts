import { randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { createCertificateAuthority, toPem, type Authority, type IssueOptions } from '@vestibule/dev-pki';
import { DomainError } from '@vestibule/foundation';
import { issuerKeysOf, type IssuerKeys } from '../keys/issuer-keys';
import { reportRetiredKeys } from '../keys/watch-issuer-keys';
import { statusListOver } from '../../testing/running-issuer.fixture-spec';
import { reserveStatusIndexes } from '../../use-cases/reserve-status-indexes';
import { readIssuerKeyOf } from '../../testing/issuer-key.fixture-spec';
import { ISSUER, ISSUER_URL, NOW } from '../../testing/issuer.fixture-spec';
import { at, completionOf, openStoreStage, type StoreStage } from '../../testing/store.fixture-spec';

jest.setTimeout(180_000);

const DAY = 86_400;
const YEAR = 365 * DAY;

let stage: StoreStage;
let [oldCa, newCa]: Authority[] = [];
beforeAll(async () => {
  stage = await openStoreStage();
  [oldCa, newCa] = await Promise.all(
    ['Old', 'New'].map(async (name) => {
      const root = await createCertificateAuthority({ name: `${name} Root`, now: NOW });
      return root.issueAuthority({ name: `${name} CA` });
    }),
  );
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

async function pairOf(authority: Authority | undefined, options: Partial<IssueOptions> = {}) {
  if (!authority) throw new Error('no authority');
  const { certificate, privateKey } = await authority.issue({ name: 'Issuer', notAfter: at(2 * YEAR), ...options });
  const key = readIssuerKeyOf(toPem([certificate, authority.certificate]), privateKey);
  return { key, privateKey, x5c: key.signerAt(NOW).x5c };
}
type Pair = Awaited<ReturnType<typeof pairOf>>;

/** An issuer with these keys over the one database, at the time that the test says. */
function issuerWith(current: Pair, ...retired: readonly Pair[]) {
  const { statusLists } = stage;
  const world = { now: NOW, signatures: 0 };
  const keys: IssuerKeys = issuerKeysOf(
    current.key,
    retired.map(({ key }) => key),
  );
  const reported: unknown[] = [];
  const reserve = reserveStatusIndexes({
    random: randomBytes,
    statusListSize: 1_024,
    drawIndexes: (draw) => statusLists.drawIndexes(draw),
    openList: (...all) => statusLists.openList(...all),
  });
  const ask = statusListOver({
    clock: () => world.now,
    issuerUrl: ISSUER_URL,
    statusListTtlSeconds: 300,
    listSignerAt(x5c, now) {
      const signer = keys.listSignerAt(x5c, now);
      return { ...signer, sign: (input) => ((world.signatures += 1), signer.sign(input)) };
    },
    findList: (...all) => statusLists.findList(...all),
    readContent: (listId) => statusLists.readContent(listId),
    publish: (publication) => statusLists.publish(publication),
    reportFailure: (error) => void reported.push(error),
    reportLostRevocations: (...lost) => void reported.push(lost),
  });
  async function issue(seconds = YEAR) {
    const { offerId } = await stage.insert();
    const [entry] = await reserve({ offerId, count: 1, expiresAt: at(seconds), x5c: current.x5c, issuer: ISSUER });
    if (!entry) throw new Error('no entry');
    expect(await stage.store.complete(completionOf({ offerId }, { entries: [entry] }))).toBe('issued');
    return { offerId, idx: entry.idx, listId: entry.uri.split('/').at(-1) ?? '' };
  }
  const tokenOf = async (listId: string) => (await ask({ listId })).token ?? '';
  const signerOf = async (listId: string) => decodeProtectedHeader(await tokenOf(listId)).x5c;
  /** Three sweeps: what one unlinks the next one closes, and a later one deletes. */
  async function sweep(seconds: number): Promise<void> {
    for (let round = 0; round < 3; round += 1) await statusLists.purge(at(seconds), 100, current.x5c);
  }
  async function reports(seconds: number) {
    const lines: [string, string][] = [];
    const logger = {
      info: (line: string, fields?: object) => void lines.push([line, JSON.stringify(fields)]),
      error: (line: string, fields?: object) => void lines.push([line, JSON.stringify(fields)]),
    };
    reportRetiredKeys(keys, await statusLists.findOwners(at(seconds)), { now: at(seconds), logger });
    return lines;
  }
  return { world, reported, issue, ask, tokenOf, signerOf, sweep, reports };
}

const isServed = async (listId: string) => (await stage.statusLists.findList(listId, undefined)) !== undefined;
const lists = () =>
  stage.database.query<{ closed: boolean }>('SELECT closed_at IS NOT NULL AS closed FROM issuer.status_list');
const statusOf = (token: string) => (decodeJwt(token)['status_list'] as { lst: string }).lst;

describe('VCI:V3 a certificate that is renewed under the same key', () => {
  it('signs the stored list anew at the next request, once, though nothing has changed in it', async () => {
    const former = await pairOf(oldCa, { notAfter: at(30 * DAY) });
    const before = issuerWith(former);
    const { listId } = await before.issue(20 * DAY);
    const first = await before.tokenOf(listId);
    expect(decodeProtectedHeader(first).x5c).toEqual(former.x5c);

    const renewed = await pairOf(oldCa, { privateKey: former.privateKey });
    const after = issuerWith(renewed);
    const answers = await Promise.all(Array.from({ length: 10 }, () => after.tokenOf(listId)));
    expect(new Set(answers.map((token) => decodeProtectedHeader(token).x5c?.join()))).toEqual(
      new Set([renewed.x5c.join()]),
    );
    expect(await after.tokenOf(listId)).toBe(answers[0]);
    expect([after.world.signatures, statusOf(answers[0] ?? '')]).toEqual([1, statusOf(first)]);
    expect(await stage.statusLists.findList(listId, undefined)).toMatchObject({ x5c: former.x5c });
    expect(after.reported).toEqual([]);
  });

  it('gives who knows the former one by its etag the new one', async () => {
    const former = await pairOf(oldCa);
    const before = issuerWith(former);
    const { listId } = await before.issue();
    const { etag } = await before.ask({ listId });
    const renewed = await pairOf(newCa, { privateKey: former.privateKey });
    const answer = await issuerWith(renewed).ask({ listId, knownEtag: etag });
    expect(decodeProtectedHeader(answer.token ?? '').x5c).toEqual(renewed.x5c);
    expect(answer.etag).not.toBe(etag);
  });

  it('gets a list of its own for new credentials, and revokes the older ones in theirs', async () => {
    const former = await pairOf(oldCa);
    const older = await issuerWith(former).issue();
    const renewed = await pairOf(oldCa, { privateKey: former.privateKey });
    const after = issuerWith(renewed);
    const newer = await after.issue();
    expect(newer.listId).not.toBe(older.listId);
    const before = await after.tokenOf(older.listId);
    expect(await stage.statusLists.changeStatus(older.offerId, 'revoked', NOW)).toMatchObject({ outcome: 'changed' });
    const token = await after.tokenOf(older.listId);
    expect(statusOf(token)).not.toBe(statusOf(before));
    expect(decodeProtectedHeader(token).x5c).toEqual(renewed.x5c);
  });

  it('is taken back, and two replicas in between do not starve one another', async () => {
    const former = await pairOf(oldCa);
    const renewed = await pairOf(oldCa, { privateKey: former.privateKey });
    const [one, two] = [issuerWith(former), issuerWith(renewed)];
    const { listId } = await one.issue();
    for (let round = 0; round < 3; round += 1) {
      expect(await one.signerOf(listId)).toEqual(former.x5c);
      expect(await two.signerOf(listId)).toEqual(renewed.x5c);
    }
    expect([...one.reported, ...two.reported]).toEqual([]);
  });
});

describe('VCI:V3 a list of a retired key, which nobody draws from any more', () => {
  it('stays open and is signed with the retired key until its last credential has ended, then closes and goes', async () => {
    const [former, current] = [await pairOf(oldCa), await pairOf(newCa)];
    const before = issuerWith(former);
    const [short, long] = [await before.issue(DAY), await before.issue(YEAR)];
    expect(short.listId).toBe(long.listId);

    const after = issuerWith(current, former);
    await after.sweep(YEAR - 1);
    expect(await lists()).toEqual([{ closed: false }]);
    after.world.now = at(YEAR - 1);
    expect(await after.signerOf(long.listId)).toEqual(former.x5c);
    await after.sweep(YEAR);
    expect(await lists()).toEqual([{ closed: true }]);
    expect(await isServed(long.listId)).toBe(true);
    await after.sweep(YEAR + 3_601);
    expect(await lists()).toEqual([]);
    await expect(after.ask({ listId: long.listId })).rejects.toMatchObject({ code: 'status_list_not_found' });
  });

  it('is told in the log: until when its key is needed, and that it is not needed any more', async () => {
    const [former, idle, current] = [await pairOf(oldCa), await pairOf(newCa), await pairOf(newCa)];
    await issuerWith(former).issue(DAY);
    await issuerWith(former).issue(2 * DAY);
    const after = issuerWith(current, former, idle);
    const [needed, unneeded] = await after.reports(0);
    expect(needed).toEqual([
      'a retired issuer key signs status lists',
      expect.stringContaining(at(2 * DAY).toISOString()),
    ]);
    expect(unneeded?.[0]).toBe('a retired issuer key is no longer needed');
    expect((await after.reports(2 * DAY)).map(([line]) => line)).toEqual(
      Array(2).fill('a retired issuer key is no longer needed'),
    );
    expect((await issuerWith(current).reports(0)).map(([line]) => line)).toEqual([
      'status lists have no key until their last credential expires: restore the retired certificate',
    ]);
    expect(await issuerWith(current).reports(2 * DAY)).toEqual([]);
  });

  it('without its key is served unchanged while its token lasts, then and after a change not at all', async () => {
    const [former, current] = [await pairOf(oldCa), await pairOf(newCa)];
    const before = issuerWith(former);
    const { listId, offerId } = await before.issue();
    const token = await before.tokenOf(listId);
    const without = issuerWith(current);
    expect(await without.tokenOf(listId)).toBe(token);
    without.world.now = at(3_600);
    await expect(without.ask({ listId })).rejects.toMatchObject({ code: 'status_list_unavailable' });
    without.world.now = NOW;
    await stage.statusLists.changeStatus(offerId, 'suspended', NOW);
    await expect(without.ask({ listId })).rejects.toMatchObject({ code: 'status_list_unavailable' });
    expect(
      without.reported.every((error) => error instanceof DomainError && error.code === 'status_list_key_missing'),
    ).toBe(true);
    expect(await issuerWith(current, former).signerOf(listId)).toEqual(former.x5c);
  });

  it('is drawn from again when its certificate comes back before that, and is never given an index twice', async () => {
    const [former, current] = [await pairOf(oldCa), await pairOf(newCa)];
    const older = await issuerWith(former).issue();
    const between = await issuerWith(current, former).issue();
    const back = issuerWith(former, current);
    const again = await back.issue();
    expect([again.listId === older.listId, again.idx === older.idx, between.listId === older.listId]).toEqual([
      true,
      false,
      false,
    ]);
    await back.sweep(YEAR - 1);
    expect(await lists()).toEqual([{ closed: false }, { closed: false }]);
  });

  it('is not closed under a replica that still has the former certificate: what it reserves lives on', async () => {
    const [former, current] = [await pairOf(oldCa), await pairOf(newCa)];
    const [old, young] = [issuerWith(former), issuerWith(current, former)];
    await old.issue(DAY);
    await young.sweep(DAY);
    expect(await lists()).toEqual([{ closed: true }]);
    const late = await old.issue(YEAR);
    await young.sweep(DAY + 7_200);
    expect(await isServed(late.listId)).toBe(true);
    expect(await young.signerOf(late.listId)).toEqual(former.x5c);
  });
});
