import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Egress, EgressResponse } from '@vestibule/egress';
import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { NOW } from '../../testing/issuer.fixture-spec';
import { createAttestationStatus } from './attestation-status';

const URI = 'https://provider.example/list';
const MEDIA_TYPE = 'application/statuslist+jwt';
const SECONDS = Math.floor(NOW.getTime() / 1000);
const [own, foreign] = [0, 1].map(() => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey) as [
  KeyObject,
  KeyObject,
];

function token(key: KeyObject, claims: object = {}): string {
  const list = { bits: 1, lst: deflateSync(Buffer.from([0b10])).toString('base64url') };
  const parts = [
    { alg: 'ES256', typ: 'statuslist+jwt' },
    { sub: URI, iat: SECONDS, exp: SECONDS + 3_600, ttl: 600, status_list: list, ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = sign('sha256', Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' });
  return [...parts, signature.toString('base64url')].join('.');
}

type Answer = Partial<EgressResponse> | ProcessingFailure;

/** Looks up statuses where the host gives these answers in turn, the last one for ever. */
function over(...answers: Answer[]) {
  const world = { now: NOW, fetched: 0, trusts: true };
  const egress: Egress = {
    get: async () => {
      const answer = answers[Math.min(world.fetched, answers.length - 1)] as Answer;
      world.fetched += 1;
      if (answer instanceof ProcessingFailure) throw answer;
      return { status: 200, contentType: MEDIA_TYPE, body: Buffer.from(token(own)), finalUrl: URI, ...answer };
    },
    close: async () => undefined,
  };
  const wallet = () => (world.trusts ? [createPublicKey(own)] : []);
  const find = createAttestationStatus({ egress, signers: { wallet, key: undefined }, clock: () => world.now });
  const ask = (idx = 0, kind: 'wallet' | 'key' = 'wallet') => find(kind, { uri: URI, idx }, world.now);
  return { world, ask };
}

const unavailable = expect.objectContaining({ kind: 'unavailable', code: 'attestation_status_unavailable' });
const failure = (code: string) => new ProcessingFailure(code as 'egress_failed', 'it failed');

describe('the status of attestations', () => {
  it('VCI:C15 is read from a list that is fetched once while it is fresh', async () => {
    const { world, ask } = over({});
    expect([await ask(0), await ask(1), await ask(0)]).toEqual(['valid', 'invalid', 'valid']);
    expect(world.fetched).toBe(1);
    world.now = new Date(NOW.getTime() + 601_000);
    expect(await ask(0)).toBe('valid');
    expect(world.fetched).toBe(2);
  });

  it('is a failure on a list that is signed by somebody else, about something else, over, or too short', async () => {
    const codeOf = (found: unknown) => (found instanceof VerificationFailure ? found.code : found);
    const listed = async (body: string, idx = 0, kind: 'wallet' | 'key' = 'wallet') =>
      codeOf(await over({ body: Buffer.from(body) }).ask(idx, kind));
    expect(await listed(token(foreign))).toBe('status_token_signature_invalid');
    expect(await listed(token(own), 0, 'key')).toBe('status_token_signer_not_trusted');
    expect(await listed(token(own, { sub: `${URI}/other` }))).toBe('status_token_subject_mismatch');
    expect(await listed(token(own, { exp: SECONDS - 61 }))).toBe('status_token_expired');
    expect(await listed(token(own), 8)).toBe('status_index_out_of_range');
    expect(await listed('no token')).toMatch(/^status_token_/);
  });

  it('counts no longer on a list whose signer is no longer trusted, although it is cached', async () => {
    const { world, ask } = over({});
    expect(await ask()).toBe('valid');
    world.trusts = false;
    expect(await ask()).toMatchObject({ code: 'status_token_signer_not_trusted' });
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
