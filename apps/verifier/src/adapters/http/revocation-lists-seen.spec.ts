/** @jest-environment ./tools/jest-context-environment.cjs */
import { crlDistributionPoints } from '@vestibule/dev-pki';
import type { EgressResponse } from '@vestibule/egress';
import { BROKEN, DOWN, served, URIS, useListedChain } from '../../testing/revocation-lists.fixture-spec';
import { at, failsWith, NOW } from '../../testing/verifier.fixture-spec';

const { pki, listOf, open } = useListedChain();

describe('a revocation list that was seen, and has not ended,', () => {
  const HOUR = 3_600;
  const MODES = ['hard-fail', 'soft-fail'] as const;

  /** Lists that are served in this order at every address; then what comes instead. */
  const inOrder = ([...left]: Buffer[], mode: (typeof MODES)[number], then: typeof DOWN | typeof BROKEN = DOWN) =>
    open(() => {
      const next = left.shift();
      return next ? served(next) : then();
    }, mode);

  it.each(MODES)('VP:N11 still fails a certificate that it names while no list is available: %s', async (mode) => {
    const { check, time } = inOrder([await listOf({ revoked: true })], mode);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    for (const hours of [1, 2, 23]) {
      time.now = at(hours * HOUR);
      await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    }
  });

  it.each([DOWN, BROKEN])('VP:N11 still lets the others pass, whatever comes instead of a list', async (then) => {
    const { check, time } = inOrder([await listOf()], 'hard-fail', then);
    await check();
    time.now = at(23 * HOUR);
    await check();
  });

  it('VP:N11 counts until its next update and no longer', async () => {
    const { check, time } = inOrder([await listOf({ nextUpdate: at(2 * HOUR) })], 'hard-fail');
    await check();
    time.now = at(2 * HOUR - 1);
    await check();
    time.now = at(2 * HOUR + 1);
    await expect(check()).rejects.toEqual(failsWith('crl_unavailable'));
  });

  it('VP:N11 spares its host: an address that failed is asked again after a minute', async () => {
    const uptime = jest.spyOn(performance, 'now').mockReturnValue(0);
    const { check, urls, time, uses } = inOrder([await listOf()], 'hard-fail');
    await check();
    time.now = at(HOUR);
    await check();
    await check();
    expect(uses).toEqual(['miss', 'miss', 'miss', 'stale', 'stale']);
    expect(urls()).toEqual([URIS[0], URIS[0], URIS[1]]);
    uptime.mockReturnValue(60_001);
    await check();
    await check();
    expect(urls().slice(3)).toEqual([URIS[0], URIS[1]]);
    uptime.mockRestore();
  });

  it.each([DOWN, BROKEN])('VP:N11 hides no newer one at the second address while the first has none', async (then) => {
    const [older, newer] = [await listOf(), await listOf({ revoked: true, thisUpdate: at(0) })];
    let isBack = true;
    const { check, time, urls } = open((url) => {
      if (url !== URIS[0]) return served(newer);
      return isBack ? served(older) : then();
    });
    await check();
    isBack = false;
    time.now = at(HOUR);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    expect(urls()).toEqual([URIS[0], URIS[0], URIS[1]]);
  });

  describe('and whose hosts take seconds', () => {
    const never = new Promise<EgressResponse>(() => undefined);
    const after = (milliseconds: number, body: Buffer) =>
      new Promise<EgressResponse>((resolve) => setTimeout(() => resolve(served(body)), milliseconds));

    /** A list was seen at the first address an hour ago; now each address answers so. */
    const slow = async (
      [first, second]: readonly (() => EgressResponse | Promise<EgressResponse>)[],
      mode: (typeof MODES)[number] = 'hard-fail',
    ) => {
      const seen = served(await listOf());
      let answersOf =
        (_url: string): typeof first =>
        () =>
          seen;
      const world = open((url) => answersOf(url)?.() ?? never, mode);
      await world.check();
      world.time.now = at(HOUR);
      world.fetches.length = 0;
      answersOf = (url) => (url === URIS[0] ? first : second);
      return world;
    };
    const outcomeOf = (checked: Promise<void>) => {
      const outcome: { code?: string } = {};
      void checked.then(
        () => (outcome.code = 'passes'),
        (error: { code?: string }) => (outcome.code = error.code),
      );
      return outcome;
    };

    beforeEach(() => jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'setImmediate', 'queueMicrotask'] }));
    afterEach(() => jest.useRealTimers());

    it.each(MODES)(
      'VP:N11 counts no longer than until a newer one comes, whatever the second has: %s',
      async (mode) => {
        const [older, newer] = [await listOf(), await listOf({ revoked: true, thisUpdate: at(0) })];
        for (const second of [DOWN, BROKEN, () => served(older), () => never]) {
          const { check, urls } = await slow([() => after(2_500, newer), second], mode);
          const outcomes = [outcomeOf(check())];
          await jest.advanceTimersByTimeAsync(2_200);
          outcomes.push(outcomeOf(check()));
          await jest.advanceTimersByTimeAsync(300);
          outcomes.push(outcomeOf(check()));
          await jest.advanceTimersByTimeAsync(0);
          expect(outcomes).toEqual(Array.from({ length: 3 }, () => ({ code: 'certificate_revoked' })));
          expect(urls()).toEqual(URIS.slice(0, 2));
        }
      },
    );

    it('VP:N11 is not waited for at an address that failed while the list of the second is fresh', async () => {
      const uptime = jest.spyOn(performance, 'now').mockReturnValue(0);
      const [newer, newest] = [await listOf({ thisUpdate: at(0) }), await listOf({ revoked: true, thisUpdate: at(1) })];
      let first: () => EgressResponse | Promise<EgressResponse> = () => never;
      const { check, urls } = await slow([() => first(), () => served(newer)]);
      outcomeOf(check());
      await jest.advanceTimersByTimeAsync(10_000);
      for (const [milliseconds, comes] of [
        [60_001, DOWN],
        [120_002, () => after(3_000, newest)],
      ] as const) {
        uptime.mockReturnValue(milliseconds);
        first = comes;
        const outcome = outcomeOf(check());
        await jest.advanceTimersByTimeAsync(0);
        expect(outcome.code).toBe('passes');
      }
      await jest.advanceTimersByTimeAsync(3_000);
      await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
      expect(urls()).toEqual([URIS[0], URIS[1], URIS[0], URIS[0]]);
      uptime.mockRestore();
    });

    it('VP:N11 counts no longer than until a newer one comes from the second while the first hangs', async () => {
      const newer = await listOf({ revoked: true, thisUpdate: at(0) });
      const { check } = await slow([() => never, () => after(1_900, newer)]);
      const outcome = outcomeOf(check());
      await jest.advanceTimersByTimeAsync(4_000);
      expect(outcome.code).toBe('certificate_revoked');
    });

    it('VP:N11 takes no longer for the four certificates of a chain than for one', async () => {
      const extensionsOf = (number: number) => [
        crlDistributionPoints(`http://crl.example/${number}/1`, `http://crl.example/${number}/2`),
      ];
      const signers = [pki().root];
      for (const [number, signer] of signers.entries()) {
        if (number === 3) break;
        signers.push(await signer.issueAuthority({ name: `Authority ${number}`, extensions: extensionsOf(number) }));
      }
      const leaf = await signers[3]?.issue({ name: 'Issuer', extensions: extensionsOf(3) });
      const issued = [leaf, ...signers.slice(1).reverse()].flatMap((made) => made?.certificate ?? []);
      const chain = pki().verified(issued);
      const lists = await Promise.all(signers.map((signer) => listOf({ signer })));
      let second = (body: Buffer) => after(3_900, body);
      const { check, time, fetches } = open((url) =>
        url.endsWith('/1') ? never : second(lists[Number(url.split('/').at(-2))] ?? Buffer.alloc(0)),
      );
      const outcomes = [outcomeOf(check(chain))];
      await jest.advanceTimersByTimeAsync(5_900);
      expect([outcomes[0]?.code, fetches.length]).toEqual(['passes', 8]);
      time.now = at(HOUR);
      second = () => never;
      await jest.advanceTimersByTimeAsync(60_000);
      outcomes.push(outcomeOf(check(chain)));
      await jest.advanceTimersByTimeAsync(4_000);
      expect([outcomes[1]?.code, fetches.length]).toEqual(['passes', 16]);
    });

    it.each(MODES)('VP:N11 counts although it ends while another one is waited for: %s', async (mode) => {
      const extensionsOf = (name: string) => [crlDistributionPoints(`http://crl.example/${name}`)];
      const authority = await pki().root.issueAuthority({ name: 'Authority', extensions: extensionsOf('fast') });
      const leaf = await authority.issue({ name: 'Issuer', extensions: extensionsOf('slow') });
      const chain = pki().verified([leaf.certificate, authority.certificate]);
      const [fast, other] = [await listOf({ nextUpdate: at(1) }), await listOf({ signer: authority })];
      const { check, time } = open((url) => (url.endsWith('fast') ? served(fast) : after(3_000, other)), mode);
      const outcome = outcomeOf(check(chain));
      await jest.advanceTimersByTimeAsync(2_000);
      time.now = at(2);
      await jest.advanceTimersByTimeAsync(1_000);
      expect(outcome.code).toBe('passes');
    });

    it.each(MODES)('VP:N11 is none, but revokes, where it ends before its lookup does: %s', async (mode) => {
      const unavailable = mode === 'hard-fail' ? 'crl_unavailable' : 'passes';
      for (const revoked of [true, false]) {
        const list = await listOf({ revoked, nextUpdate: at(HOUR + 3) });
        for (const isKnown of [true, false]) {
          let hosts = () => served(list) as EgressResponse | Promise<EgressResponse>;
          const { check, time } = open((url) => (isKnown || url !== URIS[0] ? hosts() : never), mode);
          if (isKnown) await check().catch(() => undefined);
          hosts = () => (isKnown ? never : after(400, list));
          time.now = at(HOUR);
          const outcome = outcomeOf(check());
          await jest.advanceTimersByTimeAsync(3_000);
          time.now = at(HOUR + 4);
          await jest.advanceTimersByTimeAsync(1_000);
          const code = revoked ? 'certificate_revoked' : unavailable;
          expect({ isKnown, ...outcome }).toEqual({ isKnown, code });
        }
      }
    });

    it('VP:N11 is asked for at one address only where that answers within two seconds', async () => {
      const newer = await listOf({ thisUpdate: at(0) });
      const { check, urls } = await slow([() => after(1_900, newer)]);
      const outcome = outcomeOf(check());
      await jest.advanceTimersByTimeAsync(1_900);
      expect([outcome.code, ...urls()]).toEqual(['passes', URIS[0]]);
    });

    it('VP:N11 counts after four seconds where both hang; what comes later ends the quiet time', async () => {
      const newer = await listOf({ revoked: true, thisUpdate: at(0) });
      const { check, urls, time } = await slow([() => after(5_000, newer), () => never]);
      const outcome = outcomeOf(check());
      await jest.advanceTimersByTimeAsync(3_999);
      expect(outcome.code).toBeUndefined();
      await jest.advanceTimersByTimeAsync(1);
      expect(outcome.code).toBe('passes');
      await jest.advanceTimersByTimeAsync(1_000);
      await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
      expect(urls()).toEqual(URIS.slice(0, 2));
      time.now = at(3 * HOUR);
      outcomeOf(check());
      await jest.advanceTimersByTimeAsync(0);
      expect(urls()[2]).toBe(URIS[0]);
    });
  });

  it.each(MODES)('VP:N11 is not replaced by an older one: %s', async (mode) => {
    const older = await listOf({ thisUpdate: at(-120) });
    const { check, time } = inOrder([await listOf({ revoked: true }), older, older, older], mode);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    for (const hours of [1, 2]) {
      time.now = at(hours * HOUR);
      await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    }
  });

  it('VP:N11 makes an older one unavailable even after it has ended itself', async () => {
    const older = await listOf({ thisUpdate: at(-120) });
    const { check, time } = inOrder([await listOf({ nextUpdate: at(600) }), older, older], 'hard-fail');
    await check();
    time.now = at(601);
    await expect(check()).rejects.toEqual(failsWith('crl_unavailable'));
  });

  it('VP:N11 of a clock that was ahead does not keep out the right one once that is set back', async () => {
    const ahead = await listOf({ thisUpdate: at(23 * HOUR), nextUpdate: at(24 * HOUR) });
    const { check, time } = inOrder([ahead, await listOf({ revoked: true })], 'hard-fail');
    const uptime = jest.spyOn(performance, 'now').mockReturnValue(0);
    time.now = at(24 * HOUR - 1);
    await check();
    time.now = NOW;
    uptime.mockReturnValue(1_001);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
    uptime.mockRestore();
  });

  it('VP:N11 gives way to one of the same time, and to a newer one', async () => {
    const newer = await listOf({ revoked: true, thisUpdate: at(0) });
    const { check, time } = inOrder([await listOf(), await listOf(), newer], 'hard-fail');
    await check();
    time.now = at(HOUR);
    await check();
    time.now = at(2 * HOUR);
    await expect(check()).rejects.toEqual(failsWith('certificate_revoked'));
  });
});
