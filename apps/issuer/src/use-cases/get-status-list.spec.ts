import { createPublicKey, X509Certificate } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import { createDevelopmentPki, toPem, type DevelopmentPki } from '@vestibule/dev-pki';
import { ProcessingFailure } from '@vestibule/foundation';
import { readStatus, verifyStatusListToken, type StatusEntry } from '@vestibule/status-list';
import { STATUS_LIST_SIZE } from '../domain/credential-status';
import { issuerKeysOf } from '../adapters/keys/issuer-keys';
import { readIssuerKeyOf } from '../testing/issuer-key.fixture-spec';
import { ISSUER_URL, NOW } from '../testing/issuer.fixture-spec';
import { statusListOver, type StatusListDeps } from '../testing/running-issuer.fixture-spec';
import type { NewPublication } from '../domain/status-list';

const LIST_ID = 'hM6BcEYrSg2dyzIqCsPpvA';
const URI = `${ISSUER_URL}/oidc4vci/status-lists/${LIST_ID}`;
const TTL = 300;
const CONTENT = { size: STATUS_LIST_SIZE, isOver: false };

let pki: DevelopmentPki;
beforeAll(async () => {
  pki = await createDevelopmentPki({ now: NOW, hosts: ['c.example.com'], uris: [ISSUER_URL] });
});

const keyOf = (chain: readonly Buffer[]) => readIssuerKeyOf(toPem([...chain]), pki.issuer.privateKey);

/** An issuer with one list in memory, whose clock, statuses and signing key the test holds. */
function open(
  changes: Partial<StatusListDeps> = {},
  delay: (findList: StatusListDeps['findList']) => StatusListDeps['findList'] = (findList) => findList,
) {
  const keys = issuerKeysOf(keyOf([...pki.issuer.chain, pki.root.certificate]), []);
  const world = { now: NOW, databaseAt: NOW, version: 0, entries: [] as StatusEntry[], canSign: true, signatures: 0 };
  const reported: unknown[] = [];
  let stored: NewPublication | undefined;
  const common: StatusListDeps = {
    clock: () => world.now,
    issuerUrl: ISSUER_URL,
    statusListTtlSeconds: TTL,
    listSignerAt(x5c, now) {
      const signer = keys.listSignerAt(x5c, now);
      const sign: typeof signer.sign = (input) => {
        world.signatures += 1;
        if (world.canSign) return signer.sign(input);
        throw new ProcessingFailure('signer_unavailable', 'no signature');
      };
      return { ...signer, sign };
    },
    findList: delay(async (listId, knownEtag) => {
      if (listId !== LIST_ID) return undefined;
      const publication = stored && { ...stored, token: stored.etag === knownEtag ? undefined : stored.token };
      return { version: world.version, publication, x5c: undefined, issuer: '', databaseAt: world.databaseAt };
    }),
    readContent: async () => ({ version: world.version, ...CONTENT, entries: [...world.entries] }),
    publish: async (publication) => void (stored = publication),
    reportFailure: (error) => void reported.push(error),
    reportLostRevocations: (...lost) => void reported.push(lost),
    ...changes,
  };
  /** A replica, which may be configured otherwise. */
  const replica = (other: Partial<StatusListDeps> = {}) => {
    const ask = statusListOver({ ...common, ...other });
    const get = (knownEtag?: string) => ask({ listId: LIST_ID, knownEtag });
    return { ask, get, tokenOf: async () => (await get()).token ?? '' };
  };
  const change = (...entries: StatusEntry[]) => {
    world.entries.push(...entries);
    world.version += 1;
  };
  const pass = (seconds: number) => {
    world.now = new Date(world.now.getTime() + seconds * 1000);
  };
  return { world, reported, change, pass, replica, ...replica() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a published status list', () => {
  it('VCI:Z1 is signed with ES256 as statuslist+jwt, with its own address, times, and bits for its values', async () => {
    const token = await open().tokenOf();
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'statuslist+jwt' });
    const iat = Math.floor(NOW.getTime() / 1000);
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({ sub: URI, iat, exp: iat + 3_600, ttl: TTL, status_list: { bits: 2 } });
    expect(Object.keys(claims).sort()).toEqual(['exp', 'iat', 'status_list', 'sub', 'ttl']);
  });

  it('VCI:Z2 VCI:Z14 has the chain in x5c without the anchor, and needs no extended key usage', async () => {
    const token = await open().tokenOf();
    const { x5c = [] } = decodeProtectedHeader(token);
    expect(x5c).toEqual(pki.issuer.chain.map((der) => der.toString('base64')));
    const leaf = new X509Certificate(Buffer.from(x5c[0] ?? '', 'base64'));
    expect(leaf.keyUsage).toBeUndefined();
    expect(leaf.checkIssued(leaf)).toBe(false);
    await compactVerify(token, leaf.publicKey, { algorithms: ['ES256'] });
  });

  it('VCI:Z3 VCI:Z10 VCI:Z11 has every status where a verifier looks for it, and always the same size', async () => {
    const issuer = open();
    const sizes = [inflateSync(Buffer.from(lstOf(await issuer.tokenOf()), 'base64url')).byteLength];
    const entries = [
      { idx: 0, status: 1 },
      { idx: 6, status: 2 },
      { idx: STATUS_LIST_SIZE - 1, status: 2 },
    ];
    issuer.change(...entries);
    const token = await issuer.tokenOf();
    const bytes = inflateSync(Buffer.from(lstOf(token), 'base64url'));
    sizes.push(bytes.byteLength);
    expect(sizes).toEqual([STATUS_LIST_SIZE / 4, STATUS_LIST_SIZE / 4]);
    expect([bytes[0], bytes[1], bytes.at(-1)]).toEqual([0b01, 0b10_00_00, 0b10_00_00_00]);
    const signerKeys = () => [createPublicKey(pki.issuer.privateKey)];
    const list = await verifyStatusListToken(token, { uri: URI, now: NOW, skewSeconds: 0, signerKeys });
    for (const { idx, status } of entries) expect(readStatus(list, idx)).toBe(status);
    expect(readStatus(list, 1)).toBe(0);
  });

  it('is built and signed once, whoever asks at the same time, and served as it is', async () => {
    const { world, get, tokenOf } = open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => get()));
    expect(new Set(answers.map(({ token }) => token)).size).toBe(1);
    expect(await tokenOf()).toBe(answers[0]?.token);
    expect(world.signatures).toBe(1);
  });

  it('is signed once, also where an asker is told of the outdated one only after it was renewed', async () => {
    let release: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (release = resolve));
    let questions = 0;
    const { world, get } = open({}, (findList) => {
      return async (...all) => {
        questions += 1;
        const isLate = questions === 1;
        const state = await findList(...all);
        if (isLate) await late;
        return state;
      };
    });
    const slow = get();
    const fast = await get();
    release();
    expect([(await slow).token, world.signatures]).toEqual([fast.token, 1]);
  });

  it('is told by its etag alone where it is known', async () => {
    const { get, change } = open();
    const { etag, token, maxAgeSeconds } = await get();
    expect([token !== undefined, maxAgeSeconds]).toEqual([true, TTL]);
    expect(await get(etag)).toEqual({ etag, maxAgeSeconds: TTL });
    change({ idx: 1, status: 1 });
    const changed = await get(etag);
    expect(changed.token).toBeDefined();
    expect(changed.etag).not.toBe(etag);
  });

  it('VCI:Z7 shows a change to the next who asks', async () => {
    const { tokenOf, change, world } = open();
    const before = await tokenOf();
    change({ idx: 1, status: 1 });
    const after = await tokenOf();
    expect(lstOf(after)).not.toBe(lstOf(before));
    expect(world.signatures).toBe(2);
  });

  it('VCI:Z7 is signed anew after half of its ttl, without anybody waiting, and no cache keeps it beyond its ttl', async () => {
    const { tokenOf, get, pass, world } = open();
    const first = await tokenOf();
    pass(TTL / 2 - 10);
    expect(await get()).toMatchObject({ token: first, maxAgeSeconds: TTL / 2 + 10 });
    pass(20);
    expect(await get()).toMatchObject({ token: first, maxAgeSeconds: TTL / 2 - 10 });
    await settled();
    expect(world.signatures).toBe(2);
    const second = await tokenOf();
    expect(second).not.toBe(first);
    expect(decodeJwt(second).iat).toBe((decodeJwt(first).iat ?? 0) + TTL / 2 + 10);
    expect(world.signatures).toBe(2);
  });

  it('VCI:Z7 that nobody asked for longer than its exp allows is signed anew before it is served', async () => {
    const { tokenOf, pass, world } = open();
    await tokenOf();
    pass(3_600);
    const exp = decodeJwt(await tokenOf()).exp ?? 0;
    expect(exp * 1000).toBeGreaterThan(world.now.getTime() + TTL * 1000);
  });

  it.each([86_400, 7_200, 1_800])(
    'VCI:Z7 of a shorter ttl is served as it says itself after a restart with one of %d s',
    async (ttl) => {
      const { tokenOf, replica, pass, world } = open();
      await tokenOf();
      const { get } = replica({ statusListTtlSeconds: ttl });
      for (let minutes = 0; minutes < 180; minutes += 1) {
        const { token = '', maxAgeSeconds } = await get();
        const left = (decodeJwt(token).exp ?? 0) - world.now.getTime() / 1000;
        expect(left).toBeGreaterThan(maxAgeSeconds);
        expect(maxAgeSeconds).toBeLessThanOrEqual(Number(decodeJwt(token)['ttl']));
        await settled();
        pass(60);
      }
    },
  );

  it('stays while it cannot be signed and no status has changed, as long as a copy outlives its ttl', async () => {
    const { get, tokenOf, pass, world, reported } = open();
    const token = await tokenOf();
    world.canSign = false;
    pass(3_600 - TTL - 1);
    expect(await get()).toMatchObject({ token, maxAgeSeconds: 0 });
    await settled();
    expect(reported).toHaveLength(1);
    pass(1);
    await expect(get()).rejects.toMatchObject({ kind: 'unavailable', code: 'status_list_unavailable' });
  });

  it('VCI:Z7 is not served any more once a status has changed that cannot be signed', async () => {
    const { get, change, world } = open();
    await get();
    world.canSign = false;
    change({ idx: 1, status: 1 });
    await expect(get()).rejects.toMatchObject({ code: 'status_list_unavailable' });
    world.canSign = true;
    expect(await get()).toHaveProperty('token');
  });

  it('has what changed while another renewal was under way', async () => {
    const waiting: (() => void)[] = [];
    const issuer = open();
    const slow = open({
      readContent: async () => {
        const { version, entries } = slow.world;
        const content = { version, ...CONTENT, entries: [...entries] };
        await new Promise<void>((resolve) => void waiting.push(resolve));
        return content;
      },
    });
    const first = slow.get();
    await settled();
    slow.change({ idx: 3, status: 1 });
    slow.pass(1);
    const second = slow.get();
    await settled();
    while (waiting.length > 0) {
      waiting.splice(0).forEach((resume) => resume());
      await settled();
      await settled();
    }
    issuer.change({ idx: 3, status: 1 });
    expect(lstOf((await second).token ?? '')).toBe(lstOf(await issuer.tokenOf()));
    await first;
  });

  it('VCI:Z7 is not issued before the last one, which a replica with a faster clock has published', async () => {
    const { world, tokenOf, change, pass } = open();
    pass(59);
    const fast = decodeJwt(await tokenOf());
    pass(-59);
    change({ idx: 7, status: 1 });
    const next = await tokenOf();
    expect(decodeJwt(next).iat).toBe(fast.iat);
    expect(world.signatures).toBe(2);
    expect(await tokenOf()).toBe(next);
    pass(60);
    change({ idx: 8, status: 1 });
    expect(decodeJwt(await tokenOf()).iat).toBe(Number(fast.iat) + 1);
  });

  it('VCI:Z7 is replaced at once where a clock was a day ahead when it was published', async () => {
    const { world, tokenOf, pass } = open();
    const [day, iat] = [86_400, Math.floor(NOW.getTime() / 1000)];
    pass(day);
    expect(decodeJwt(await tokenOf()).iat).toBe(iat + day);
    pass(-day);
    expect(decodeJwt(await tokenOf()).iat).toBe(iat);
    expect(world.signatures).toBe(2);
  });

  it('VCI:Z7 is served and renewed by a replica whose clock is behind', async () => {
    const { world, tokenOf, change, pass } = open();
    const first = await tokenOf();
    pass(-3_600);
    expect(await tokenOf()).toBe(first);
    change({ idx: 7, status: 1 });
    expect(decodeJwt(await tokenOf()).iat).toBe(decodeJwt(first).iat);
    expect(world.signatures).toBe(2);
  });

  it('that is not there is status_list_not_found', async () => {
    await expect(open().ask({ listId: 'other' })).rejects.toMatchObject({ code: 'status_list_not_found' });
  });
});

function lstOf(token: string): string {
  return (decodeJwt(token)['status_list'] as { lst: string }).lst;
}
