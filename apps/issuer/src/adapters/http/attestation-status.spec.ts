import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Egress, EgressResponse } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure, type DomainError, type JsonObject } from '@vestibule/foundation';
import type { AcceptedAttestation } from '@vestibule/oauth';
import { NOW } from '../../testing/issuer.fixture-spec';
import { createAttestationStatus } from './attestation-status';

const URI = 'https://provider.example/list';
const MEDIA_TYPE = 'application/statuslist+jwt';
const SECONDS = Math.floor(NOW.getTime() / 1000);
const keyOn = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
const [own, foreign, large, largest] = [keyOn('P-256'), keyOn('P-256'), keyOn('P-384'), keyOn('P-521')];

function token(key: KeyObject, claims: object = {}, alg = 'ES256', kid?: string): string {
  const list = { bits: 1, lst: deflateSync(Buffer.from([0b10])).toString('base64url') };
  const parts = [
    { alg, typ: 'statuslist+jwt', ...(kid === undefined ? {} : { kid }) },
    { sub: URI, iat: SECONDS, exp: SECONDS + 3_600, ttl: 600, status_list: list, ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = sign(`sha${alg.slice(2)}`, Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' });
  return [...parts, signature.toString('base64url')].join('.');
}

const MAX_AGE_SECONDS = 172_800;

type Answer = Partial<EgressResponse> | ProcessingFailure;

/** Looks up statuses where the host gives these answers in turn, the last one for ever. */
function over(...answers: Answer[]) {
  const world = {
    now: NOW,
    fetched: 0,
    trusts: true,
    signers: [own],
    keySigners: undefined as KeyObject[] | undefined,
    attestation: { header: {} as JsonObject, acceptedAt: NOW },
  };
  const egress: Egress = {
    get: async () => {
      const answer = answers[Math.min(world.fetched, answers.length - 1)] as Answer;
      world.fetched += 1;
      if (answer instanceof ProcessingFailure) throw answer;
      return { status: 200, contentType: MEDIA_TYPE, body: Buffer.from(token(own)), finalUrl: URI, ...answer };
    },
    close: async () => undefined,
  };
  /** Without trust, there is still the signer who is called the next one. */
  const wallet = (header: JsonObject, _now: Date, attestation?: AcceptedAttestation) =>
    (world.trusts && attestation?.header['kid'] !== 'of another') || header['kid'] === 'next'
      ? world.signers.map((key) => createPublicKey(key))
      : [];
  const key = () => (world.keySigners ?? []).map((one) => createPublicKey(one));
  const find = createAttestationStatus({
    egress,
    signers: { wallet, key },
    clock: () => world.now,
    maxAgeSeconds: MAX_AGE_SECONDS,
  });
  const ask = (idx = 0, kind: 'wallet' | 'key' = 'wallet') =>
    find(kind, { uri: URI, idx, attestation: world.attestation }, world.now);
  const pass = (seconds: number) => {
    world.now = new Date(world.now.getTime() + seconds * 1000);
  };
  return { world, ask, pass };
}

const unavailable = expect.objectContaining({ kind: 'unavailable', code: 'attestation_status_unavailable' });
const failure = (code: string) => new ProcessingFailure(code as 'egress_failed', 'it failed');

const codeOf = (found: unknown) => (found instanceof VerificationFailure ? found.code : found);

describe('the status of attestations', () => {
  it('VCI:C15 is read from a list that is fetched once while it is fresh', async () => {
    const { world, ask } = over({});
    expect([await ask(0), await ask(1), await ask(0)]).toEqual(['valid', 'invalid', 'valid']);
    expect(world.fetched).toBe(1);
    world.now = new Date(NOW.getTime() + 601_000);
    expect(await ask(0)).toBe('valid');
    expect(world.fetched).toBe(2);
  });

  it('is a failure on a list that is signed by somebody else, about something else, over, too old, or too short', async () => {
    const listed = async (body: string, idx = 0, kind: 'wallet' | 'key' = 'wallet') =>
      codeOf(await over({ body: Buffer.from(body) }).ask(idx, kind));
    expect(await listed(token(foreign))).toBe('status_token_signature_invalid');
    expect(await listed(token(own), 0, 'key')).toBe('status_token_signer_not_trusted');
    expect(await listed(token(own, { sub: `${URI}/other` }))).toBe('status_token_subject_mismatch');
    expect(await listed(token(own, { exp: SECONDS - 61 }))).toBe('status_token_expired');
    const old = { iat: SECONDS - MAX_AGE_SECONDS - 60, exp: SECONDS + 100_000_000 };
    expect(await listed(token(own, old))).toBe('status_token_too_old');
    expect(await listed(token(own), 8)).toBe('status_index_out_of_range');
    expect(await listed('no token')).toMatch(/^status_token_/);
  });

  it('VCI:K14 is suspended where its status is neither valid nor invalid', async () => {
    const list = { bits: 2, lst: deflateSync(Buffer.from([0b11100100])).toString('base64url') };
    const { ask } = over({ body: Buffer.from(token(own, { status_list: list })) });
    const found = [await ask(0), await ask(1), await ask(2), await ask(3)];
    expect(found).toEqual(['valid', 'invalid', 'suspended', 'suspended']);
  });

  it.each([
    ['ES384', large, 'ES512'],
    ['ES512', largest, 'ES384'],
  ])('EU:K7 is read from a list signed with %s, by a key of its curve alone', async (alg, key, other) => {
    const ask = (body: string) => {
      const { world, ask: askOver } = over({ body: Buffer.from(body) });
      world.signers = [own, key];
      return askOver(1);
    };
    expect(await ask(token(key, {}, alg))).toBe('invalid');
    expect(codeOf(await ask(token(key, {}, other)))).toBe('status_token_signature_invalid');
    expect(codeOf(await ask(token(own, {}, alg)))).toBe('status_token_signature_invalid');
    expect(codeOf(await ask(token(own, {}, 'RS256')))).toBe('status_token_algorithm_not_allowed');
  });

  it('is read from a list that any of several trusted keys signed', async () => {
    const { world, ask } = over({ body: Buffer.from(token(foreign)) });
    world.signers = [own, foreign];
    expect(await ask()).toBe('valid');
  });

  it('does not come back by a list that is older than one that was seen', async () => {
    const lists = [
      token(own, { iat: SECONDS - 10 }),
      token(own, { iat: SECONDS - 11 }),
      token(own, { iat: SECONDS - 10 }),
    ];
    const { ask, pass } = over(...lists.map((list) => ({ body: Buffer.from(list) })));
    expect(await ask(1)).toBe('invalid');
    pass(601);
    expect(codeOf(await ask(1))).toBe('status_list_rolled_back');
    expect(await ask(1)).toBe('invalid');
  });

  it('is read from a list that is older than one from when the clock was ahead', async () => {
    // It ends at once, so that it is not in the cache afterwards.
    const ahead = token(own, { iat: SECONDS + 86_390, exp: SECONDS + 86_400 });
    const { world, ask, pass } = over({ body: Buffer.from(ahead) }, {});
    pass(86_400);
    expect(await ask(1)).toBe('invalid');
    pass(-86_400);
    expect([await ask(1), world.fetched]).toEqual(['invalid', 2]);
  });

  it('does not come back by an older copy that was fetched for keys at the same address', async () => {
    const revoking = token(own, { iat: SECONDS - 5 });
    const { world, ask, pass } = over(
      ...[token(own, { iat: SECONDS - 10 }), revoking, revoking].map((list) => ({ body: Buffer.from(list) })),
    );
    world.keySigners = [own];
    expect(await ask(0, 'key')).toBe('valid');
    pass(10);
    expect(await ask(0)).toBe('valid');
    expect(await ask(0, 'key')).toBe('valid');
    expect(world.fetched).toBe(3);
  });

  it('is not decided by a list of somebody who is not trusted, however new', async () => {
    const { ask, pass } = over(
      { body: Buffer.from(token(foreign, { iat: SECONDS + 30 })) },
      { body: Buffer.from(token(own)) },
    );
    expect(codeOf(await ask())).toBe('status_token_signature_invalid');
    pass(1);
    expect(await ask()).toBe('valid');
  });

  it('is not read from the list of another attester, although it is cached', async () => {
    const { world, ask } = over({});
    expect(await ask()).toBe('valid');
    world.attestation.header = { kid: 'of another' };
    expect(codeOf(await ask())).toBe('status_token_signer_not_trusted');
    world.attestation.header = {};
    expect(await ask()).toBe('valid');
    expect(world.fetched).toBe(1);
  });

  it('counts no longer on a list whose signer is no longer trusted, although it is cached', async () => {
    const { world, ask } = over({});
    expect(await ask()).toBe('valid');
    world.trusts = false;
    expect(await ask()).toMatchObject({ code: 'status_token_signer_not_trusted' });
  });

  it('is read from the successor of a list whose signer no longer counts, before its ttl is over', async () => {
    const next = token(large, { iat: SECONDS + 5 }, 'ES384', 'next');
    const { world, ask, pass } = over({}, { body: Buffer.from(next) });
    expect(await ask()).toBe('valid');
    pass(10);
    [world.trusts, world.signers] = [false, [large]];
    expect([await ask(), await ask(1)]).toEqual(['valid', 'invalid']);
    expect(world.fetched).toBe(2);
  });

  it('is unknown, and may be asked for again, while no successor of a list whose signer no longer counts is available', async () => {
    const next = { body: Buffer.from(token(own, {}, 'ES256', 'next')) };
    const away = failure('egress_failed');
    const { world, ask, pass } = over({}, away, { status: 503 }, {}, next);
    await ask();
    world.trusts = false;
    const asked: unknown[] = [];
    for (const seconds of [1, 9, 1, 10, 9, 1]) {
      pass(seconds);
      asked.push([await ask().then(codeOf, (error: DomainError) => error.code), world.fetched]);
    }
    const [unknown, refused] = ['attestation_status_unavailable', 'status_token_signer_not_trusted'];
    expect(asked).toEqual([
      [unknown, 2],
      [unknown, 2],
      [unknown, 3],
      [refused, 4],
      [refused, 4],
      ['valid', 5],
    ]);
  });

  it('is read from the successor of a list whose signer ceased to count just after it was fetched', async () => {
    const { world, ask, pass } = over({}, { body: Buffer.from(token(own, {}, 'ES256', 'next')) });
    await ask();
    world.trusts = false;
    pass(1);
    expect([await ask(), await ask(), world.fetched]).toEqual(['valid', 'valid', 2]);
  });

  it('is read from the list that its host has corrected, but that is fetched at most once in ten seconds', async () => {
    const { world, ask, pass } = over({}, {}, { body: Buffer.from(token(own, {}, 'ES256', 'next')) });
    world.attestation.header = { kid: 'of another' };
    const asked: unknown[] = [];
    for (const seconds of [0, 9, 1, 9, 1]) {
      pass(seconds);
      asked.push([codeOf(await ask()), world.fetched]);
    }
    const refused = 'status_token_signer_not_trusted';
    expect(asked).toEqual([
      [refused, 1],
      [refused, 1],
      [refused, 2],
      [refused, 2],
      ['valid', 3],
    ]);
  });

  it('EU:K10 is a failure on a cached list still if nothing is there any more, and unreadable if its signer counts no longer', async () => {
    const { world, ask, pass } = over({}, { status: 404 });
    const asked: unknown[] = [];
    for (const [seconds, trusts] of [
      [0, true],
      [10, true],
      [9, true],
      [1, false],
      [9, false],
    ] as const) {
      pass(seconds);
      world.trusts = trusts;
      asked.push([codeOf(await ask(8)), world.fetched]);
    }
    const refused = 'status_index_out_of_range';
    expect(asked).toEqual([
      [refused, 1],
      [refused, 2],
      [refused, 2],
      ['unreadable', 3],
      ['unreadable', 3],
    ]);
  });

  it.each<[string, Answer]>([
    ['404', { status: 404 }],
    ['410', { status: 410 }],
    ['another media type', { contentType: 'text/html' }],
    ['an address that is not public', failure('egress_refused_address')],
    ['an address that is no https URL', failure('egress_refused_url')],
  ])('EU:K10 is unreadable with %s', async (_what, answer) => {
    expect(await over(answer).ask()).toBe('unreadable');
  });

  it.each<[string, Answer]>([
    ['503', { status: 503 }],
    ['429', { status: 429 }],
    ['a host that does not answer', failure('egress_timeout')],
    ['a host that cannot be reached', failure('egress_failed')],
    ['a name that does not resolve', failure('egress_unresolved')],
  ])('is unavailable with %s, and found at the next attempt', async (_what, answer) => {
    const { ask } = over(answer, {});
    await expect(ask()).rejects.toEqual(unavailable);
    expect(await ask()).toBe('valid');
  });
});
