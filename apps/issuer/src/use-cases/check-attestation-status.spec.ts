import type { JsonValue } from '@vestibule/foundation';
import { statusFailure, type StatusReference } from '@vestibule/status-list';
import type { IssuableType } from '../domain/credential-offer';
import type { FindAttestationStatus } from '../domain/ports';
import type { StatusMode } from '../domain/profile';
import { NOW, TYPE_ID, TYPES, VALIDITY_SECONDS } from '../testing/issuer.fixture-spec';
import { checkAttestationStatus, maintainedSeconds } from './check-attestation-status';

const TYPE = TYPES.get(TYPE_ID) as IssuableType;
const PID: IssuableType = { ...TYPE, isPid: true };
const DEFERRED_SECONDS = 1_000;
const SECONDS = NOW.getTime() / 1000;
const URI = 'https://provider.example/list';
const reference = (idx = 0) => ({ status_list: { uri: URI, idx } });
const maintained = (seconds: JsonValue = SECONDS + 10_000_000) => ({ status: reference(7), exp: seconds });

type Found = Awaited<ReturnType<FindAttestationStatus>>;

/** What happens to an attestation, and which references were looked up. */
async function check(
  status: { own?: JsonValue; maintained?: JsonValue } | undefined,
  {
    kind = 'key' as 'key' | 'wallet',
    mode = 'when-present' as StatusMode,
    type = TYPE as IssuableType | undefined,
    found = 'valid' as Found,
    isDeferred = false,
    error = undefined as 'credential_request_denied' | undefined,
    acceptedAt = undefined as Date | undefined,
  } = {},
) {
  const looked: StatusReference[] = [];
  const run = checkAttestationStatus({
    attestationStatus: mode,
    deferredSeconds: DEFERRED_SECONDS,
    findAttestationStatus: async (_kind, one) => (looked.push(one), found),
  });
  const attested = status && { header: {}, own: status.own, maintained: status.maintained };
  const outcome = await run({
    kind,
    status: attested,
    type,
    now: NOW,
    isDeferred,
    acceptedAt,
    ...(error ? { error } : {}),
  }).then(
    () => 'passed',
    ({ code, reason }: { code: string; reason: string }) => `${code} ${reason}`,
  );
  return [outcome, looked.map(({ idx }) => idx)];
}

describe('checkAttestationStatus', () => {
  it.each([
    ['now', undefined],
    ['when its keys were promised', new Date(NOW.getTime() - 1_000)],
  ])(
    'VCI:K14 has the signer of an attestation judged at the time when it was accepted: %s',
    async (_when, acceptedAt) => {
      const attestations: unknown[] = [];
      const run = checkAttestationStatus({
        attestationStatus: 'when-present',
        deferredSeconds: DEFERRED_SECONDS,
        findAttestationStatus: async (_kind, { attestation }) => (attestations.push(attestation), 'valid'),
      });
      const status = { header: { kid: 'provider' }, own: reference(3), maintained: undefined };
      await run({ kind: 'key', status, type: TYPE, now: NOW, isDeferred: false, acceptedAt });
      expect(attestations).toEqual([{ header: status.header, acceptedAt: acceptedAt ?? NOW }]);
    },
  );

  it('VCI:C15 VCI:K14 looks up each reference of an attestation', async () => {
    expect(await check({ own: reference(3), maintained: maintained() })).toEqual(['passed', [3, 7]]);
    expect(await check({ own: reference(3) })).toEqual(['passed', [3]]);
    expect(await check({})).toEqual(['passed', []]);
    expect(await check(undefined, { kind: 'wallet' })).toEqual(['passed', []]);
  });

  it.each<[string, Found]>([
    ['attestation_not_valid', 'invalid'],
    ['attestation_suspended', 'suspended'],
    ['attestation_status_unreadable', 'unreadable'],
    ['status_token_expired', statusFailure('status_token_expired')],
  ])('EU:K10 VCI:C15 refuses what is found, with the reason %s', async (reason, found) => {
    expect((await check({ own: reference() }, { found }))[0]).toBe(`invalid_proof ${reason}`);
    expect((await check({ own: reference() }, { found, kind: 'wallet' }))[0]).toBe(`invalid_client ${reason}`);
    const later = { found, error: 'credential_request_denied' } as const;
    expect((await check({ own: reference() }, later))[0]).toBe(`credential_request_denied ${reason}`);
  });

  it.each<[string, JsonValue]>([
    ['a string', 'valid'],
    ['nothing', null],
    ['an empty object', {}],
    ['a list without an index', { status_list: { uri: URI } }],
    ['a negative index', { status_list: { uri: URI, idx: -1 } }],
    ['a relative address', { status_list: { uri: '/list', idx: 0 } }],
  ])('EU:K10 refuses a status that is %s', async (_what, status) => {
    const malformed = ['invalid_proof attestation_status_malformed', []];
    expect(await check({ own: status })).toEqual(malformed);
    expect(await check({ maintained: { status, exp: SECONDS + 1 } })).toEqual(malformed);
    expect(await check({ maintained: status })).toEqual(malformed);
  });

  it('looks up nothing where that is off, and demands a status where one is required', async () => {
    expect(await check({ own: 'x' }, { mode: 'off' })).toEqual(['passed', []]);
    const missing = ['invalid_client attestation_status_missing', []];
    expect(await check({}, { mode: 'required', kind: 'wallet' })).toEqual(missing);
    expect(await check(undefined, { mode: 'required', kind: 'wallet' })).toEqual(['passed', []]);
    expect(await check({ own: reference() }, { mode: 'required' })).toEqual(['passed', [0]]);
  });

  it.each<StatusMode>(['off', 'when-present', 'required'])(
    'a PID needs statuses that outlive it, with %s',
    async (mode) => {
      const outcome = async (status: Parameters<typeof check>[0], isDeferred = false) =>
        (await check(status, { mode, type: PID, kind: 'wallet', isDeferred }))[0];
      expect(await outcome(undefined)).toBe('invalid_client attestation_required');
      expect(await outcome({ own: reference() })).toBe('invalid_client attestation_status_missing');
      const needed = maintainedSeconds(PID, 0);
      expect(needed).toBeGreaterThan(VALIDITY_SECONDS);
      for (const exp of [SECONDS + needed - 1, `${SECONDS * 2}`, null, SECONDS * 2000])
        expect(await outcome({ maintained: maintained(exp) })).toBe('invalid_client attestation_status_short');
      expect(await outcome({ maintained: maintained(SECONDS + needed) })).toBe('passed');
      expect(await outcome({ maintained: maintained(SECONDS + needed) }, true)).toMatch(/attestation_status_short$/);
      expect(await outcome({ maintained: maintained(SECONDS + needed + DEFERRED_SECONDS) }, true)).toBe('passed');
      const revoked = await check({ maintained: maintained() }, { mode, type: PID, found: 'invalid' });
      expect(revoked).toEqual(['invalid_proof attestation_not_valid', [7]]);
    },
  );

  it('a PID is given later, too, with statuses that were maintained for long enough when they were accepted', async () => {
    const needed = maintainedSeconds(PID, 0);
    const accepted = (secondsAgo: number) => {
      const acceptedAt = new Date(NOW.getTime() - secondsAgo * 1000);
      return check({ maintained: maintained(SECONDS - secondsAgo + needed) }, { type: PID, acceptedAt });
    };
    expect((await accepted(3_600))[0]).toBe('passed');
    expect((await accepted(3_601))[0]).toBe('invalid_proof attestation_status_short');
  });
});
