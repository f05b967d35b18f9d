import type { EgressFailureCode, EgressResponse } from '@vestibule/egress';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import {
  answer as listAnswer,
  egressFailure,
  statusListsOf,
  type TokenOptions,
} from '../../testing/status-lists.fixture-spec';
import { at, createWorld, failsWith, NOW, type World } from '../../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const lists = statusListsOf(() => world);
const URI = 'https://issuer.example/lists/1';

/** A list with one bit for each credential; `revoked` is that of this test. */
async function answer(
  uri: string,
  { revoked = false, ...options }: TokenOptions & { readonly revoked?: boolean } = {},
) {
  const token = await lists.tokenOf({ ...options, uri, bits: 1, entries: revoked ? [{ idx: 7, status: 1 }] : [] });
  return listAnswer(token, { finalUrl: uri });
}

function credential({ uri = URI, trusted = true } = {}): VerifiedPresentation {
  const { signedBy, ...rest } = lists.credential({ uri, idx: 7 });
  return { ...rest, signedBy: { ...signedBy, trusted } } as VerifiedPresentation;
}

const unreachable = (code: EgressFailureCode = 'egress_tls') => egressFailure(code);

/** Lists that serve for five minutes past their ttl, unless told otherwise. */
function open(respond: Parameters<typeof lists.open>[0], graceSeconds = 300) {
  const opened = lists.open(respond, { graceSeconds });
  const check = (presentation = credential(), answered: object = {}) => opened.check(presentation, answered);
  return { ...opened, check };
}

/** A list that was fetched once and cannot be had any more, or only as `then` says. */
async function fetchedOnce(
  options: Parameters<typeof answer>[1],
  graceSeconds?: number,
  then = () => Promise.reject(unreachable()),
) {
  const first = await answer(URI, options);
  let calls = 0;
  const opened = open(() => (++calls === 1 ? Promise.resolve(first) : then()), graceSeconds);
  await opened.check();
  return opened;
}

describe('the lists of one answer', () => {
  const MEBIBYTE = 1_048_576;
  const uriOf = (index: number) => `https://issuer.example/lists/${index}`;
  /** Blanks around a token belong to no list, and have to be looked at like one. */
  const padded = async (uri: string, bytes: number) => {
    const { body, ...rest } = await answer(uri);
    return { ...rest, body: Buffer.concat([body, Buffer.alloc(bytes - body.length, ' ')]) };
  };
  const askAll = (check: ReturnType<typeof open>['check'], count: number, answered: object) =>
    Promise.allSettled(Array.from({ length: count }, (_, index) => check(credential({ uri: uriOf(index) }), answered)));
  const codes = (settled: readonly PromiseSettledResult<void>[]) =>
    settled.map((one) => (one.status === 'fulfilled' ? 'ok' : (one.reason as { code: string }).code));

  it('cost no more than 8 MiB of tokens: what comes beyond is not verified', async () => {
    const { check } = open((uri) => padded(uri, 3 * MEBIBYTE));
    const ended = codes(await askAll(check, 16, {}));
    expect(ended.filter((code) => code === 'ok')).toHaveLength(2);
    expect(ended.filter((code) => code === 'status_lists_too_large')).toHaveLength(14);
  });

  it('may be sixteen where they are of ordinary size', async () => {
    const { check } = open((uri) => padded(uri, MEBIBYTE / 2));
    expect(codes(await askAll(check, 16, {}))).toEqual(Array.from({ length: 16 }, () => 'ok'));
  });

  it('cost nothing once they are cached, so that the next answer needs only the rest', async () => {
    const { check, fetches } = open((uri) => padded(uri, 3 * MEBIBYTE));
    await askAll(check, 4, {});
    expect(codes(await askAll(check, 4, {}))).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(fetches).toHaveLength(6);
  });

  it('are fetched for another answer too that waits for the same one, whose share is its own', async () => {
    const { check } = open((uri) => padded(uri, 3 * MEBIBYTE));
    const greedy = askAll(check, 4, {});
    const modest = check(credential({ uri: uriOf(3) }), {});
    expect(codes(await greedy)).toContain('status_lists_too_large');
    await expect(modest).resolves.toBeUndefined();
  });
});

describe('a list past its ttl that cannot be had anew', () => {
  it('VP:O17 serves for the configured time, and the decision record says so', async () => {
    const { check, notes, time } = await fetchedOnce({ ttlSeconds: 300 });
    expect(notes).toEqual([]);
    time.now = at(599);
    await check();
    expect(notes).toEqual(['status_list_past_ttl']);
    time.now = at(600);
    await expect(check()).rejects.toEqual(failsWith('egress_tls'));
  });

  it('VP:O17 does not serve where the time is 0', async () => {
    const { check, time } = await fetchedOnce({ ttlSeconds: 300 }, 0);
    time.now = at(301);
    await expect(check()).rejects.toEqual(failsWith('egress_tls'));
  });

  it('VP:O16 never serves past its exp', async () => {
    const { check, time } = await fetchedOnce({ ttlSeconds: 300, lifeSeconds: 400 });
    time.now = at(399);
    await check();
    time.now = at(400);
    await expect(check()).rejects.toEqual(failsWith('egress_tls'));
  });

  it('VP:O13 still calls a credential revoked that it called revoked', async () => {
    const first = await answer(URI, { revoked: true });
    let calls = 0;
    const { check, time } = open(() => (++calls === 1 ? Promise.resolve(first) : Promise.reject(unreachable())));
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
    time.now = at(301);
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
  });

  it('leaves its host alone for a while, so that not every answer waits for it', async () => {
    const { check, fetches, notes, time } = await fetchedOnce({ ttlSeconds: 300 });
    time.now = at(301);
    for (let count = 0; count < 5; count += 1) await check();
    expect(fetches).toHaveLength(2);
    expect(notes).toHaveLength(5);
  });

  it('does not stand in for a list that came and is wrong', async () => {
    const forged = async () => ({ ...(await answer('https://issuer.example/lists/2')), finalUrl: URI });
    const { check, time } = await fetchedOnce({ ttlSeconds: 300 }, 300, forged as never);
    time.now = at(301);
    await expect(check()).rejects.toEqual(failsWith('status_token_subject_mismatch'));
  });

  it('gives way to the next list that can be had', async () => {
    const fresh = await answer(URI, { issuedAt: at(301), revoked: true });
    const { check, notes, time } = await fetchedOnce({ ttlSeconds: 300 }, 300, () => Promise.resolve(fresh) as never);
    time.now = at(301);
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
    expect(notes).toEqual([]);
  });
});

describe('a list that cannot be had', () => {
  it.each<[EgressFailureCode, number]>([
    ['egress_failed', 3],
    ['egress_status', 3],
    ['egress_overloaded', 3],
    ['egress_tls', 1],
    ['egress_too_large', 1],
    ['egress_refused_address', 1],
  ])('after %s is asked for %i times in all', async (code, times) => {
    const { check, fetches } = open(() => Promise.reject(unreachable(code)));
    await expect(check()).rejects.toEqual(failsWith(code));
    expect(fetches).toHaveLength(times);
  });

  it('passes when a later try succeeds', async () => {
    const good = await answer(URI);
    let calls = 0;
    const { check, notes } = open(() =>
      ++calls < 3 ? Promise.reject(unreachable('egress_failed')) : Promise.resolve(good),
    );
    await check();
    expect(notes).toEqual([]);
  });
});

describe('lists of issuers that nobody vouches for', () => {
  const strange = (index: number) => credential({ uri: `https://issuer.example/lists/${index}`, trusted: false });

  it('are smaller, use places of their own, and are remembered apart from those of others', async () => {
    const { check, fetches } = open((uri) => answer(uri));
    await check(strange(1));
    await check(credential({ uri: 'https://issuer.example/lists/1' }));
    expect(fetches.map(({ options }) => [options.namedBy, options.maxBytes])).toEqual([
      ['stranger', 262_144],
      ['known', 4_194_304],
    ]);
  });

  it('do not limit how many a known issuer has', async () => {
    const { check } = open((uri) => answer(uri));
    const answered = {};
    const lists = Array.from({ length: 20 }, (_, index) =>
      credential({ uri: `https://issuer.example/lists/${index}` }),
    );
    await Promise.all(lists.map((presentation) => check(presentation, answered)));
  });

  it.each<[EgressFailureCode, boolean]>([
    ['egress_overloaded', false],
    ['egress_too_large', false],
    ['egress_tls', false],
    ['egress_tls', true],
  ])('VP:O17 do not make an older list serve others: %s, and asked for once more: %s', async (code, again) => {
    const old = await answer(URI, { ttlSeconds: 300 });
    const revoked = await answer(URI, { issuedAt: at(301), revoked: true });
    const fresh: Record<string, EgressResponse> = { known: old, stranger: old };
    const { check, notes, time } = open((_uri, { namedBy = 'known' }) => {
      const response = fresh[namedBy];
      return response ? Promise.resolve(response) : Promise.reject(unreachable(code));
    });
    await check(credential({ trusted: false }));
    await check();
    time.now = at(301);
    // The places of strangers are full, or the list is too large for one: the host itself answers.
    delete fresh['stranger'];
    fresh['known'] = revoked;
    await check(credential({ trusted: false }));
    if (again) await check(credential({ trusted: false }));
    await expect(check()).rejects.toEqual(failsWith('credential_revoked'));
    expect(notes).not.toHaveLength(0);
  });

  it('do not have a host asked again that known issuers found to be away', async () => {
    const old = await answer(URI, { ttlSeconds: 300 });
    const { check, fetches, time } = open((_uri, { namedBy }) =>
      time.now > NOW && namedBy === 'known' ? Promise.reject(unreachable()) : Promise.resolve(old),
    );
    await check();
    time.now = at(301);
    await check();
    await check(credential({ trusted: false }));
    await check();
    expect(fetches.map(({ options }) => options.namedBy)).toEqual(['known', 'known', 'stranger']);
  });
});
