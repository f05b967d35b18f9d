import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '@vestibule/testkit';
import { endIn } from './flows';
import type { Members } from './handmade-credential';
import { startIssuanceBench, type IssuanceBench, type OpenedOffer, type RawAnswer } from './issuance-bench';
import { createPool } from './look-into-database';
import type { Stage } from './stage';

const claim = (name: string, more: object = {}) => ({ path: [name], sd: 'always', ...more });
const typeOf = (...claims: readonly object[]) => ({
  name: 'Card',
  claims: [claim('member', { mandatory: true }), ...claims],
});
/** The types of a replica before and after the change, by their names. */
const TYPES = {
  old: { staying: typeOf(), going: typeOf(), changing: typeOf(claim('nickname')) },
  new: { staying: typeOf(), coming: typeOf(), changing: typeOf(claim('level', { mandatory: true })) },
} as const;
type Version = keyof typeof TYPES;
const VERSIONS: readonly Version[] = ['old', 'new'];

/** Claims that every version of a type takes, and those that one version of `changing` takes alone. */
const PLAIN = { member: '7' };
const BEFORE = { member: '7', nickname: 'Al' };
const AFTER = { member: '7', level: 'gold' };
const COME_BACK = 503;
const PROMISED = 202;

const folder = mkdtempSync(path.join(tmpdir(), 'vestibule-types-'));
let bench: IssuanceBench<Stage>;
/** The replica with the types of that version. */
const replica = (version: Version) => bench.stage.stack.process('issuer', VERSIONS.indexOf(version));

/** A folder with the types of that version. */
function typesOf(version: Version) {
  const place = mkdtempSync(path.join(folder, version));
  for (const [name, document] of Object.entries(TYPES[version]))
    writeFileSync(path.join(place, `${name}.json`), JSON.stringify(document));
  return { TYPE_METADATA_FOLDER: place };
}

beforeAll(async () => {
  bench = await startIssuanceBench({ replicas: { issuer: 2 }, environment: { issuer: typesOf('old') } });
  await replica('new').stop();
  replica('new').configure(typesOf('new'));
});
afterAll(async () => {
  await bench?.stop();
  rmSync(folder, { recursive: true });
});

/** The replicas with the types of these versions run, and no other. */
async function run(...versions: readonly Version[]): Promise<void> {
  for (const version of versions) if (!replica(version).isRunning) await replica(version).restart();
  for (const version of VERSIONS) if (!versions.includes(version)) await replica(version).stop();
}

/** Asks as a wallet does that is told to come back, until it hears something else. */
async function patiently(ask: () => Promise<RawAnswer>, comeBack = COME_BACK): Promise<RawAnswer> {
  let answer = await ask();
  await until(async () => answer.status !== comeBack || (answer = await ask()).status !== comeBack);
  return answer;
}

/** A backend makes an offer, which a replica without the type refuses. */
async function offerOf(members: Members): Promise<OpenedOffer> {
  let offer: OpenedOffer | undefined;
  await until(async () => (offer = await bench.offer(members).catch(() => undefined)) !== undefined);
  return offer as OpenedOffer | undefined as OpenedOffer;
}

const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as unknown;

/** The type and the claims of the only credential in an answer. */
function contentOf({ json }: RawAnswer) {
  const [{ credential = '' } = {}, ...more] = (json['credentials'] ?? []) as { credential?: string }[];
  expect(more).toEqual([]);
  const [jwt = '', ...disclosures] = credential.split('~').filter((part) => part !== '');
  const { vct } = decode(jwt.split('.')[1]) as Members;
  const claims = Object.fromEntries(disclosures.map((one) => (decode(one) as [string, string, unknown]).slice(1)));
  return { type: String(vct).split('/').at(-1), claims: claims as Members };
}

/** A wallet with an offer, which sends each request again as it was. */
async function begin(type: string, claims: Members = PLAIN, more: Members = {}) {
  const offer = await offerOf({ credential_configuration_id: type, claims, ...more });
  const wallet = bench.createWallet();
  let token: string | undefined;
  let request: Members | undefined;
  let transaction: unknown;
  const steps = {
    offer,
    async redeem(): Promise<RawAnswer> {
      const answer = await wallet.askToken(wallet.form(offer));
      if (answer.status === 200) token = String(answer.json['access_token']);
      return answer;
    },
    async ask(): Promise<RawAnswer> {
      request ??= await wallet.body({ credential_configuration_id: type });
      const answer = await wallet.post('credential', String(token), request);
      transaction = answer.json['transaction_id'];
      return answer;
    },
    collect: () => wallet.post('deferred_credential', String(token), { transaction_id: transaction }),
    supply: (later: Members) => bench.stage.management('PATCH', `/offers/${offer.offerId}`, { claims: later }),
    /** Goes on to the credential, which has the type and the claims of the offer. */
    async finish(): Promise<void> {
      if (token === undefined) expect((await patiently(steps.redeem)).status).toBe(200);
      expect(contentOf(await patiently(steps.ask))).toEqual({ type, claims });
      expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
    },
  };
  return steps;
}
type Journey = Awaited<ReturnType<typeof begin>>;

/** A wallet that has redeemed its code. */
async function beginWithToken(...what: Parameters<typeof begin>): Promise<Journey> {
  const journey = await begin(...what);
  expect((await journey.redeem()).status).toBe(200);
  return journey;
}

const answersTo = async (...asks: readonly (() => Promise<RawAnswer>)[]) => {
  const statuses: number[] = [];
  for (const ask of asks) statuses.push((await ask()).status);
  return statuses;
};

/** The labels of the replicas that have logged this code. */
const loggedBy = (code: string) => {
  const lines = bench.stage.logLines.filter((line) => line.includes(`"${code}"`));
  return [...new Set(lines.map((line) => line.split(' ')[0]))].sort();
};

describe('replicas of the issuer whose types are changed one by one', () => {
  it('VCI:T8 VCI:P9 lose no wallet that began at the other one, and issue what its type allows there, once', async () => {
    await run('old');
    const [code, token] = [await begin('going'), await beginWithToken('going')];
    const [changed, staying] = [await beginWithToken('changing', BEFORE), await begin('staying')];
    const done = await beginWithToken('going');
    const given = await done.ask();
    expect(given.status).toBe(200);

    await run('new');
    expect(await answersTo(code.redeem, token.ask, changed.ask)).toEqual([COME_BACK, COME_BACK, COME_BACK]);
    expect(await answersTo(token.redeem, staying.redeem)).toEqual([200, 200]);
    expect(await done.ask()).toMatchObject({ status: 200, text: given.text });
    const [newCode, newToken] = [await begin('coming'), await beginWithToken('coming')];
    const newChanged = await beginWithToken('changing', AFTER);

    await run('old');
    expect(await answersTo(newCode.redeem, newToken.ask, newChanged.ask)).toEqual([COME_BACK, COME_BACK, COME_BACK]);
    expect(await answersTo(newToken.redeem)).toEqual([200]);

    await run('old', 'new');
    for (const one of [code, token, changed, staying, done, newCode, newToken, newChanged]) await one.finish();
    for (const logged of ['credential_type_missing', 'credential_type_changed'])
      expect([logged, loggedBy(logged)]).toEqual([logged, ['issuer', 'issuer-2']]);
  });

  it.each<[string, readonly Members[]]>([
    ['going', [PLAIN]],
    ['coming', [PLAIN]],
    ['changing', [BEFORE]],
    ['changing', [AFTER]],
    ['changing', [AFTER, BEFORE]],
    ['changing', [BEFORE, AFTER]],
  ])('VCI:F3 issue a deferred credential of a type that is %s with the last of %j', async (type, supplied) => {
    await run('old', 'new');
    const { redeem, ask, collect, supply, offer } = await begin(type, {}, { deferred: true });
    expect((await patiently(redeem)).status).toBe(200);
    expect((await patiently(ask)).status).toBe(PROMISED);
    for (const claims of supplied) await until(async () => (await supply(claims)).status === 200);
    expect(contentOf(await patiently(collect, PROMISED))).toEqual({ type, claims: supplied.at(-1) });
    expect(await bench.statusesOf(offer, 2)).toEqual(['OFFER_CREATED', 'ISSUED']);
  });

  it('tell the backend of a wallet that never met one with its type', async () => {
    const rows = createPool(bench.stage.database.adminUrl);
    const { offer, redeem } = await begin('going');
    await run('new');
    expect(await answersTo(redeem)).toEqual([COME_BACK]);
    const id = Buffer.from(offer.offerId, 'base64url').toString('hex');
    const marked = `SELECT FROM issuer.credential_offer WHERE offer_id = '\\x${id}' AND unserved_at IS NOT NULL`;
    await until(async () => (await rows.query(marked)).length === 1);
    await rows.close();
    await endIn(bench.stage, 0, offer.offerId);
    const [, failed] = await bench.stage.callbacksOf(offer.offerId, 2);
    expect(failed).toMatchObject({ status: 'FAILED', errorDetails: expect.stringMatching(/^wallet_not_served: /) });
  });
});
