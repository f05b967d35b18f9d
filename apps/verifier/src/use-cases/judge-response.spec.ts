import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import { createCheckLog, parseResponseForm, type ResponseForm, type VerifiedPresentation } from '@vestibule/oid4vp';
import { verifyStatus } from '@vestibule/status-list';
import type { PendingRequest } from '../domain/presentation-request';
import { judgeDeps, judgeOver, type JudgeDeps } from '../testing/judge.fixture-spec';
import {
  answerForm,
  createWorld,
  encryptedForm,
  NOW,
  payment,
  pendingRequest,
  pidQuery,
  present,
  STATUS,
  type World,
} from '../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const CANARY = 'canary-value';

async function judge(request: PendingRequest, form: ResponseForm, more: Partial<JudgeDeps> = {}) {
  const checks = createCheckLog(() => 0);
  const asked: string[] = [];
  const reported: unknown[] = [];
  const surplus: (readonly string[])[] = [];
  const deps: JudgeDeps = {
    ...judgeDeps(world),
    reportSurplus: (credentialIds) => surplus.push(credentialIds),
    reportUnexpected: (error) => reported.push(error),
    ...more,
    async checkStatus(presentation: VerifiedPresentation, now, lookup) {
      asked.push(presentation.credentialId);
      await more.checkStatus?.(presentation, now, lookup);
    },
  };
  const outcome = await judgeOver(deps)({ request, form, checks, now: NOW, millisecondsLeft: 12_000 });
  return { outcome, asked, reported, surplus, entries: checks.entries };
}

const formOf = async (request: PendingRequest, credential = {}) =>
  parseResponseForm(await answerForm(world, request, 'cross-device', credential), request.state);

const both = () => pendingRequest({ dcqlQuery: { credentials: [pidQuery(), pidQuery({ id: 'second' })] } });
async function answerBoth(request: PendingRequest, second: object): Promise<ResponseForm> {
  const pid = await present(world, request, 'cross-device', { status: STATUS });
  const vpToken = { pid: [pid], second: [await present(world, request, 'cross-device', second)] };
  const form = encryptedForm(request, 'cross-device', { state: request.state, vp_token: vpToken });
  return parseResponseForm(form, request.state);
}

it('VP:J16 credentials that were not asked for are reported by their ids, and by nothing else', async () => {
  const credentials = [pidQuery(), pidQuery({ id: 'second' })];
  const request = pendingRequest({ dcqlQuery: { credentials, credential_sets: [{ options: [['second']] }] } });
  const { outcome, surplus } = await judge(request, await answerBoth(request, {}));
  expect([outcome.status, surplus]).toEqual(['FULFILLED', [['pid']]]);
  const strict = await judge(request, await answerBoth(request, {}), { surplusClaims: 'refuse' });
  expect([strict.outcome.status, strict.entries.at(-1)?.code]).toEqual(['VERIFICATION_FAILED', 'surplus_claims']);
  const asked = both();
  expect((await judge(asked, await answerBoth(asked, {}))).surplus).toEqual([]);
});

describe('the status of credentials', () => {
  it('VP:L13 VP:O1 is looked up for each credential that has one, after everything else held', async () => {
    const request = both();
    const { outcome, asked, entries } = await judge(request, await answerBoth(request, { status: STATUS }));
    expect(outcome.status).toBe('FULFILLED');
    expect(asked).toEqual(['pid', 'second']);
    expect(entries.map(({ check, credential }) => [check, credential]).slice(-3)).toEqual([
      ['dcql', undefined],
      ['status', 'pid'],
      ['status', 'second'],
    ]);
  });

  it('VP:O1 is not looked up for a credential that has none', async () => {
    const request = pendingRequest();
    const { outcome, asked } = await judge(request, await formOf(request));
    expect([outcome.status, asked]).toEqual(['FULFILLED', []]);
  });

  it.each([
    ['another type of the last credential', { vct: 'urn:example:other:1' }],
    ['an old nonce in the last credential', { binding: { nonce: 'old' } }],
    ['an expired last credential', { iat: 1, exp: 2 }],
  ])('VP:O1 VP:O14 is not looked up for any credential after %s', async (_title, second) => {
    const request = both();
    const { outcome, asked } = await judge(request, await answerBoth(request, { status: STATUS, ...second }));
    expect([outcome.status, asked]).toEqual(['VERIFICATION_FAILED', []]);
  });

  it.each([
    ['VP:O13 revoked', 1, 'credential_revoked'],
    ['VP:D10 suspended', 2, 'credential_suspended'],
    ['VP:D10 of an unknown kind', 3, 'credential_status_unknown'],
  ])('%s is VERIFICATION_FAILED with the code and the credential', async (_title, status, code) => {
    const request = pendingRequest();
    const { outcome, entries, reported } = await judge(request, await formOf(request, { status: STATUS }), {
      checkStatus: () => Promise.resolve(verifyStatus({ bits: 2, bytes: Uint8Array.of(status << 6) }, STATUS.idx)),
    });
    expect(outcome).toMatchObject({ status: 'VERIFICATION_FAILED' });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(new RegExp(`^${code}: credential "pid": `)));
    expect(entries.at(-1)).toMatchObject({ check: 'status', credential: 'pid', outcome: 'failed', code });
    expect(reported).toEqual([]);
  });

  it('VP:D9 of a list that cannot be had is PROCESSING_ERROR, and not the wallet’s fault', async () => {
    const request = pendingRequest();
    const { outcome, reported } = await judge(request, await formOf(request, { status: STATUS }), {
      checkStatus: () => Promise.reject(new ProcessingFailure('egress_status', 'no success')),
    });
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty(
      'errorDetails',
      expect.stringMatching(/^egress_status: credential "pid": the status list: /),
    );
    expect(reported).toEqual([]);
  });
});

describe('an unexpected error', () => {
  it('VP:Q7 is PROCESSING_ERROR internal_error without its message, and reported', async () => {
    const request = pendingRequest();
    const error = new TypeError(CANARY);
    const { outcome, reported } = await judge(request, await formOf(request), {
      trust() {
        throw error;
      },
    });
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^internal_error: /));
    expect(JSON.stringify(outcome)).not.toContain(CANARY);
    expect(reported).toEqual([error]);
  });

  it('while the status is looked up is recorded as internal_error too', async () => {
    const request = pendingRequest();
    const { outcome, entries, reported } = await judge(request, await formOf(request, { status: STATUS }), {
      checkStatus: () => Promise.reject(new RangeError(CANARY)),
    });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^internal_error: credential "pid": /));
    expect(entries.at(-1)).toMatchObject({ check: 'status', outcome: 'failed', code: 'internal_error' });
    expect(JSON.stringify([outcome, entries])).not.toContain(CANARY);
    expect(reported).toHaveLength(1);
  });

  it('a stored query that cannot be read is our own fault, and reported', async () => {
    const request = pendingRequest({ dcqlQuery: { credentials: [] } });
    const { outcome, reported } = await judge(request, await formOf(request));
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^stored_query_invalid: /));
    expect(reported).toHaveLength(1);
  });

  it('one of our own that is no failure of a check keeps its code, and is reported', async () => {
    const request = pendingRequest();
    const error = new DomainError({ kind: 'internal', code: 'internal_error', detail: 'some detail' });
    const { outcome, reported } = await judge(request, await formOf(request), {
      trust() {
        throw error;
      },
    });
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', errorDetails: 'internal_error: some detail' });
    expect(reported).toEqual([error]);
  });
});

describe('a response', () => {
  it('VP:H13 that cannot be read is the wallet’s fault and reported to nobody', async () => {
    const { outcome, entries, reported } = await judge(pendingRequest(), { kind: 'encrypted', jwe: 'a.b.c.d.e' });
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: true });
    expect(entries).toMatchObject([{ check: 'response', outcome: 'failed', code: 'response_not_decryptable' }]);
    expect(reported).toEqual([]);
  });

  it('VP:I3 with an error of the wallet is REJECTED before anything is verified', async () => {
    const { outcome, entries } = await judge(pendingRequest(), { kind: 'error', error: { code: 'access_denied' } });
    expect(outcome).toEqual({ status: 'REJECTED', errorDetails: 'access_denied' });
    expect(entries).toEqual([]);
  });

  it('VP:D4 says by its key which flow it came by', async () => {
    for (const flowType of ['same-device', 'cross-device'] as const) {
      const request = pendingRequest();
      const form = parseResponseForm(await answerForm(world, request, flowType), request.state);
      expect((await judge(request, form)).outcome).toMatchObject({ status: 'FULFILLED', flowType });
    }
  });

  it('VP:A7 is judged by the client_id of the request, whatever certificate signs now', async () => {
    const request = pendingRequest({ clientId: 'x509_hash:of-an-old-certificate' });
    expect((await judge(request, await formOf(request))).outcome.status).toBe('FULFILLED');
    const { outcome } = await judge(request, await formOf(request, { binding: { aud: 'x509_hash:of-a-new-one' } }));
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^key_binding_audience: /));
  });

  it('VP:F6 must confirm the transaction data of the request', async () => {
    const request = pendingRequest({ transactionData: payment() });
    const { outcome } = await judge(request, await formOf(request));
    expect(outcome.status === 'FULFILLED' && outcome.presentations[0]?.holder?.transactionDataHashes).toHaveLength(1);
    const none = await judge(request, await formOf(request, { binding: { transaction_data_hashes: ['x'] } }));
    expect(none.outcome).toHaveProperty('errorDetails', expect.stringMatching(/^transaction_data_mismatch: /));
  });
});
