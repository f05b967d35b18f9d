import { createNewestLists, RedirectedFailure } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import {
  answer,
  egressFailure,
  MAX_AGE_SECONDS,
  statusListsOf,
  type TokenOptions,
} from '../../testing/status-lists.fixture-spec';
import { at, createWorld, failsWith, STATUS, type World } from '../../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const { tokenOf, credential, open, otherIssuer } = statusListsOf(() => world);

describe('VP:O17 an older list', () => {
  /** Lists in this order, each usable for five minutes. */
  const inOrder = (...tokens: readonly TokenOptions[]) => withGrace(0, tokens);
  const withGrace = async (graceSeconds: number, tokens: readonly TokenOptions[]) => {
    const answers = await Promise.all(tokens.map(async (one) => answer(await tokenOf(one))));
    return open(() => Promise.resolve(answers.shift() ?? answer('')), { graceSeconds });
  };
  const revoked: TokenOptions = { issuedAt: at(-60), entries: [{ idx: STATUS.idx, status: 1 }] };

  it('does not bring a credential back to life', async () => {
    const { check, time } = await inOrder(revoked, { issuedAt: at(-120) }, { issuedAt: at(-61) });
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
    for (const seconds of [301, 602]) {
      time.now = at(seconds);
      await expect(check()).rejects.toEqual(failsWith('status_list_rolled_back'));
    }
  });

  it('is not remembered: the right one counts at once', async () => {
    const { check, time, fetches } = await inOrder(
      { issuedAt: at(-60) },
      { issuedAt: at(-120) },
      { issuedAt: at(-60) },
    );
    await check();
    time.now = at(301);
    await expect(check()).rejects.toEqual(failsWith('status_list_rolled_back'));
    await check();
    expect(fetches).toHaveLength(3);
  });

  it('does not replace the newer one in its grace time, for the good and for the bad', async () => {
    const older = { issuedAt: at(-120) };
    const good = await withGrace(300, [{ issuedAt: at(-60) }, older, older]);
    await good.check();
    good.time.now = at(301);
    await good.check();
    expect(good.notes).toEqual(['status_list_past_ttl']);
    good.time.now = at(601);
    await expect(good.check()).rejects.toEqual(failsWith('status_list_rolled_back'));
    const bad = await withGrace(300, [revoked, older]);
    for (const seconds of [0, 301]) {
      bad.time.now = at(seconds);
      await expect(bad.check()).rejects.toEqual(failsWith('credential_revoked'));
    }
  });

  it('may be of the same time, or newer', async () => {
    const { check, time } = await inOrder({ issuedAt: at(-60) }, { issuedAt: at(-60) }, { issuedAt: at(0) });
    for (const seconds of [0, 301, 602]) {
      time.now = at(seconds);
      await check();
    }
  });

  it('is none compared with that of a signer who is not authorised', async () => {
    const { check, time } = await inOrder({ signer: await otherIssuer(), issuedAt: at(0) }, { issuedAt: at(-60) });
    await expect(check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
    time.now = at(301);
    await check();
  });

  it('is told for each address by itself, for as many as are remembered', () => {
    const newest = createNewestLists(2, () => at(0));
    newest.remember('a', at(0));
    newest.remember('b', at(0));
    newest.remember('a', at(-9));
    expect(newest.isOlder('a', at(-1))).toBe(true);
    newest.remember('c', at(0));
    expect(newest.isOlder('b', at(-1))).toBe(false);
    expect(newest.isOlder('a', at(-1))).toBe(true);
  });

  it('is refused again after the clock was behind for a while, and meanwhile if it is older than two lists', () => {
    const clock = { now: at(0) };
    const newest = createNewestLists(2, () => clock.now);
    for (const seconds of [-600, 0, 0]) newest.remember('a', at(seconds));
    clock.now = at(-61);
    expect([-601, -300].map((seconds) => newest.isOlder('a', at(seconds)))).toEqual([true, false]);
    newest.remember('a', at(-300));
    expect([-301, -300].map((seconds) => newest.isOlder('a', at(seconds)))).toEqual([true, false]);
    clock.now = at(0);
    expect([-1, 0].map((seconds) => newest.isOlder('a', at(seconds)))).toEqual([true, false]);
  });

  it('is none compared with one from a clock that was ahead, nor once its time has come', () => {
    const time = { clock: 3600, stopwatch: 0 };
    const newest = createNewestLists(
      2,
      () => at(time.clock),
      () => time.stopwatch * 1000,
    );
    newest.remember('a', at(3600));
    time.clock = 0;
    newest.remember('a', at(0));
    for (const passed of [0, 3600, 7200]) {
      Object.assign(time, { clock: passed, stopwatch: passed });
      expect([-1, 0].map((seconds) => newest.isOlder('a', at(seconds)))).toEqual([true, false]);
    }
    newest.remember('a', at(3600));
    expect(newest.isOlder('a', at(3599))).toBe(true);
  });

  it('is none compared with one from a clock that was ahead, once that was set back', async () => {
    // It ends at once, so that it is not in the cache afterwards.
    const ahead = { issuedAt: at(86_390), lifeSeconds: 10 };
    const { check, time } = await inOrder(ahead, { issuedAt: at(0) }, { issuedAt: at(-1) });
    time.now = at(86_400);
    await check();
    time.now = at(0);
    await check();
    time.now = at(301);
    await expect(check()).rejects.toEqual(failsWith('status_list_rolled_back'));
  });

  it('is refused by a verifier that has seen no newer one when it exceeds the maximum age, whatever its exp says', async () => {
    const years = { lifeSeconds: 100_000_000 };
    const { check } = await inOrder({ ...years, issuedAt: at(-MAX_AGE_SECONDS - 60) });
    await expect(check()).rejects.toEqual(failsWith('status_token_too_old'));
    const young = await inOrder({ ...years, issuedAt: at(59 - MAX_AGE_SECONDS) });
    await young.check();
  });

  it('is not used for longer than the maximum age, also while no newer one can be had', async () => {
    const token = await tokenOf({ lifeSeconds: 100_000_000, issuedAt: at(200 - MAX_AGE_SECONDS), ttlSeconds: 100 });
    const answers = [answer(token)];
    const respond = () => {
      const next = answers.shift();
      return next ? Promise.resolve(next) : Promise.reject(egressFailure('egress_too_large'));
    };
    const { check, notes, time } = open(respond, { graceSeconds: 86_400 });
    await check();
    time.now = at(199);
    await check();
    expect(notes).toEqual(['status_list_past_ttl']);
    time.now = at(201);
    await expect(check()).rejects.toEqual(failsWith('egress_too_large'));
  });

  it('that another below the authority of the issuer has signed is refused where only the issuer may sign', async () => {
    const { intermediate } = world.pki;
    const { privateKey, certificate } = await intermediate.issue({ name: 'Another issuer' });
    const signer = { privateKey, chain: [certificate, intermediate.certificate] };
    const token = answer(await tokenOf({ signer }));
    await open(() => Promise.resolve(token)).check();
    const strict = open(() => Promise.resolve(token), { statusSigners: 'issuer' });
    await expect(strict.check()).rejects.toEqual(failsWith('status_signer_not_authorised'));
    await open(async () => answer(await tokenOf()), { statusSigners: 'issuer' }).check();
  });

  describe('at an address of a known issuer that credentials of a type without an anchor name, too,', () => {
    const stranger = (): VerifiedPresentation => {
      const known = credential();
      return { ...known, signedBy: { ...known.signedBy, trusted: false } } as VerifiedPresentation;
    };

    it('is fetched anew, and fails nobody', async () => {
      const { check, fetches, time } = await inOrder({ issuedAt: at(-60) }, { issuedAt: at(10) }, { issuedAt: at(10) });
      await check(stranger());
      time.now = at(20);
      await check();
      await check(stranger());
      await check(stranger());
      expect(fetches).toHaveLength(3);
    });

    it('is not believed, whoever saw the newer one', async () => {
      const { check } = await inOrder(revoked, { issuedAt: at(-90) }, { issuedAt: at(-61) });
      await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
      await expect(check(stranger())).rejects.toEqual(failsWith('status_list_rolled_back'));
      await expect(check(stranger())).rejects.toEqual(failsWith('status_list_rolled_back'));
    });

    it('that is kept is not believed where the newer one cannot be had again', async () => {
      const answers = [await tokenOf({ issuedAt: at(-60) }), await tokenOf({ ...revoked, issuedAt: at(0) })];
      const { check } = open(() => {
        const token = answers.shift();
        return token === undefined ? Promise.reject(egressFailure('egress_too_large')) : Promise.resolve(answer(token));
      });
      await check(stranger());
      await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
      await expect(check(stranger())).rejects.toEqual(failsWith('egress_too_large'));
    });
  });
});

describe('VP:Q5 an address that must not be fetched', () => {
  it.each(['egress_refused_url', 'egress_refused_address'] as const)(
    'is the fault of the credential: %s',
    async (code) => {
      const { check } = open(() => Promise.reject(egressFailure(code)));
      const error: unknown = await check().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(VerificationFailure);
      expect(error).toMatchObject({ code });
    },
  );

  it('is the fault of the host where it redirects there', async () => {
    const { check } = open(() => Promise.reject(new RedirectedFailure('egress_refused_address', 'not to be had')));
    await expect(check()).rejects.toBeInstanceOf(ProcessingFailure);
  });
});
