import { presentedCredentialsEvent } from '@vestibule/contracts';
import { DomainError, ProcessingFailure } from '@vestibule/foundation';
import { createPrivateKeyOf } from '@vestibule/dev-pki';
import { endOf, openSubmission } from '../testing/submission.fixture-spec';
import {
  answerForm,
  createWorld,
  encryptedForm,
  failsWith,
  pendingRequest,
  pidQuery,
  present,
  STATUS,
  type Form,
  type World,
} from '../testing/verifier.fixture-spec';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const REDIRECT = 'https://rp.example/back?session=1';
const plainError = (state: string): Form => [
  ['error', 'access_denied'],
  ['error_description', 'no thanks'],
  ['state', state],
];

async function refusalOf(answer: Promise<unknown>): Promise<DomainError> {
  const error: unknown = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DomainError)) throw new Error('the response was not refused');
  return error;
}

describe('an accepted response', () => {
  it('VP:G2 VP:P6 cross-device: FULFILLED without responseCode, and an empty answer', async () => {
    const request = pendingRequest({ redirectUri: REDIRECT });
    const submission = openSubmission(world, request);
    expect(await submission.submit(await answerForm(world, request))).toEqual({});
    const { status, event, checks, accepted } = endOf(submission);
    expect(status).toBe('FULFILLED');
    expect(event).not.toHaveProperty('responseCode');
    expect(checks.every(({ outcome }) => outcome === 'passed')).toBe(true);
    expect(accepted?.answer).toEqual({});
  });

  it('VP:G3 VP:P2 VP:P3 same-device: the code of the event is in the redirect address', async () => {
    const request = pendingRequest({ redirectUri: REDIRECT });
    const submission = openSubmission(world, request);
    const { redirectUri } = await submission.submit(await answerForm(world, request, 'same-device'));
    const { event } = endOf(submission);
    const code = new URL(redirectUri ?? '').searchParams.get('response_code');
    expect(event).toMatchObject({ status: 'FULFILLED', responseCode: code });
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(redirectUri).toBe(`${REDIRECT}&response_code=${code}`);
  });

  it('VP:D5 same-device without redirect_uri: a code in the event, nothing in the answer', async () => {
    const request = pendingRequest();
    const submission = openSubmission(world, request);
    expect(await submission.submit(await answerForm(world, request, 'same-device'))).toEqual({});
    expect(endOf(submission).event).toHaveProperty('responseCode');
  });

  it('VP:H1 needs no state outside the encryption, and VP:G11 other parameters change nothing', async () => {
    const request = pendingRequest();
    const form: Form = [...(await answerForm(world, request)), ['foo', '1']];
    expect(await openSubmission(world, request).submit(form)).toEqual({});
  });

  it('is judged at the one time that the clock gave', async () => {
    const request = pendingRequest();
    const submission = openSubmission(world, request);
    await submission.submit(await answerForm(world, request));
    expect(submission.clockReads()).toBe(1);
  });
});

describe('an error of the wallet', () => {
  it('VP:I3 VP:G6 plain, with the right state: REJECTED, answered with success', async () => {
    const request = pendingRequest({ redirectUri: REDIRECT });
    const submission = openSubmission(world, request);
    expect(await submission.submit(plainError(request.state))).toEqual({});
    const { event } = endOf(submission);
    const error = { errorDetails: 'access_denied', errorDescription: 'no thanks' };
    expect(event).toEqual({ status: 'REJECTED', state: request.state, ...error });
  });

  it('VP:I3 encrypted: REJECTED with the code alone where there is no description', async () => {
    const request = pendingRequest({ redirectUri: REDIRECT });
    const submission = openSubmission(world, request);
    const form = encryptedForm(request, 'same-device', { state: request.state, error: 'wallet_unavailable' });
    expect(await submission.submit(form)).toEqual({});
    const { event } = endOf(submission);
    expect(event).toEqual({ status: 'REJECTED', state: request.state, errorDetails: 'wallet_unavailable' });
  });
});

describe('a message that is no response', () => {
  it.each([
    [
      'VP:G5 a plain vp_token',
      (state: string): Form => [
        ['vp_token', '{}'],
        ['state', state],
      ],
      'response_missing',
    ],
    ['VP:G7 nothing', (): Form => [], 'response_missing'],
    [
      'VP:G7 response and error',
      (state: string): Form => [['response', 'a.b.c.d.e'], ...plainError(state)],
      'response_with_error',
    ],
    [
      'VP:G7 two responses',
      (): Form => [
        ['response', 'a.b.c.d.e'],
        ['response', 'a.b.c.d.e'],
      ],
      'parameter_repeated',
    ],
    ['VP:I8 an error with another state', (): Form => plainError('other'), 'state_mismatch'],
    ['VP:H2 a response that is no JWE', (): Form => [['response', 'x.y.z']], 'response_not_a_jwe'],
  ])('%s is refused and leaves the request open', async (_title, formOf, reason) => {
    const request = pendingRequest();
    const submission = openSubmission(world, request);
    const refusal = await refusalOf(submission.submit(formOf(request.state)));
    expect(refusal).toMatchObject({ code: 'invalid_request', reason });
    expect(submission.endings).toEqual([]);
    expect(await submission.submit(await answerForm(world, request))).toEqual({});
  });

  it('VP:G8 VP:H1 a response to an unknown request ends nothing', async () => {
    const request = pendingRequest();
    const submission = openSubmission(world, request);
    const form = await answerForm(world, request);
    expect(await refusalOf(submission.submit(form, 'unknown'))).toEqual(failsWith('invalid_request'));
    expect(submission.endings).toEqual([]);
  });

  it('VP:P10 VP:P11 a response after the end of the time ends nothing', async () => {
    const request = pendingRequest();
    const late = { ...request, expiresAt: request.createdAt };
    const submission = openSubmission(world, late);
    expect(await refusalOf(submission.submit(await answerForm(world, request)))).toEqual(failsWith('invalid_request'));
    expect(submission.endings).toEqual([]);
  });
});

describe('a response that cannot be read', () => {
  const other = pendingRequest();
  it.each([
    ['VP:H13 garbage', (): Form => [['response', 'a.b.c.d.e']], 'response_not_decryptable', 'jwe_malformed'],
    [
      'VP:Q1 one for another request',
      () => encryptedForm(other, 'cross-device', {}),
      'response_not_decryptable',
      'jwe_key_unknown',
    ],
  ])('%s ends it as PROCESSING_ERROR', async (_title, formOf, code, reason) => {
    const submission = openSubmission(world, pendingRequest());
    expect(await refusalOf(submission.submit(formOf()))).toMatchObject({ code: 'invalid_request', reason });
    const { event } = endOf(submission);
    expect(event).toMatchObject({ status: 'PROCESSING_ERROR' });
    expect(event).toHaveProperty('errorDetails', expect.stringMatching(new RegExp(`^${code}: `)));
  });

  it.each([
    ['VP:I1 no state', { vp_token: {} }, 'response_state_mismatch'],
    ['VP:I1 another state', { state: 'other', vp_token: {} }, 'response_state_mismatch'],
    ['VP:H10 a list', [], 'response_not_json'],
  ])('%s ends it as PROCESSING_ERROR', async (_title, parameters, code) => {
    const request = pendingRequest();
    const submission = openSubmission(world, request);
    const form = encryptedForm(request, 'cross-device', parameters);
    expect(await refusalOf(submission.submit(form))).toEqual(failsWith('invalid_request'));
    expect(endOf(submission).event).toHaveProperty('errorDetails', expect.stringMatching(new RegExp(`^${code}: `)));
  });
});

describe('a response that does not verify', () => {
  const stranger = createPrivateKeyOf('P-256');
  const faults = {
    'VP:K4 another issuer key': { credential: { issuerKey: stranger }, code: 'issuer_signature_invalid' },
    'VP:M5 an old nonce': { credential: { binding: { nonce: 'old' } }, code: 'key_binding_nonce' },
    'VP:M4 another audience': { credential: { binding: { aud: 'x509_hash:other' } }, code: 'key_binding_audience' },
    'VP:K19 the past': { credential: { iat: 1, exp: 2 }, code: 'expired' },
  };

  it.each(Object.entries(faults))('%s ends it as VERIFICATION_FAILED', async (_title, { credential, code }) => {
    const request = pendingRequest({ redirectUri: REDIRECT });
    const submission = openSubmission(world, request);
    const form = await answerForm(world, request, 'same-device', credential);
    const { detail, ...refusal } = await refusalOf(submission.submit(form));
    // The operator's log has the check, the wallet's answer has not (OpenID4VP 1.0 §15.9).
    expect([refusal.code, refusal.reason, detail]).toEqual(['invalid_request', code, 'the response was not accepted']);
    const ending = endOf(submission);
    expect(ending.event).toMatchObject({ status: 'VERIFICATION_FAILED', state: request.state });
    expect(ending.event).not.toHaveProperty('responseCode');
    expect(ending.event).toHaveProperty(
      'errorDetails',
      expect.stringMatching(new RegExp(`^${code}: credential "pid": `)),
    );
    expect(ending).not.toHaveProperty('accepted');
    expect(ending.checks.at(-1)).toMatchObject({ outcome: 'failed', code, credential: 'pid' });
    expect(presentedCredentialsEvent.safeParse(ending.event).error).toBeUndefined();
  });

  it('VP:D4 the nonce of the other flow is an old nonce', async () => {
    const request = pendingRequest();
    const submission = openSubmission(world, request);
    const vpToken = { pid: [await present(world, request, 'cross-device')] };
    const form = encryptedForm(request, 'same-device', { state: request.state, vp_token: vpToken });
    await refusalOf(submission.submit(form));
    expect(endOf(submission).event).toHaveProperty('errorDetails', expect.stringMatching(/^key_binding_nonce: /));
  });

  it('VP:Q11 VP:H13 sounds the same to the wallet, whatever it was', async () => {
    const refusals: unknown[] = [];
    const forms = [
      ...Object.values(faults).map(({ credential }) => async (request = pendingRequest()) => ({
        request,
        form: await answerForm(world, request, 'cross-device', credential),
      })),
      (request = pendingRequest()) => ({ request, form: [['response', 'a.b.c.d.e']] as Form }),
      (request = pendingRequest()) => ({ request, form: encryptedForm(request, 'cross-device', { vp_token: {} }) }),
      (request = pendingRequest()) => ({
        request,
        form: encryptedForm(request, 'cross-device', { state: request.state, vp_token: { other: [] } }),
      }),
    ];
    for (const make of forms) {
      const { request, form } = await make();
      const { code, kind, detail, faults: places } = await refusalOf(openSubmission(world, request).submit(form));
      refusals.push({ code, kind, detail, places });
    }
    const [first] = refusals;
    expect(first).toMatchObject({ code: 'invalid_request', kind: 'invalid' });
    expect(refusals).toEqual(refusals.map(() => first));
  });
});

describe('a failure of our own', () => {
  it('VP:D9 VP:O15 a status list that cannot be had: PROCESSING_ERROR, and the wallet hears server_error', async () => {
    const request = pendingRequest();
    const submission = openSubmission(world, request, {
      checkStatus: () => Promise.reject(new ProcessingFailure('egress_timeout', 'too late')),
    });
    const refusal = await refusalOf(submission.submit(await answerForm(world, request, undefined, { status: STATUS })));
    expect(refusal).toMatchObject({ code: 'server_error', kind: 'unavailable' });
    const { event } = endOf(submission);
    expect(event).toMatchObject({
      status: 'PROCESSING_ERROR',
      errorDetails: 'egress_timeout: credential "pid": the status list: too late',
    });
  });

  it('a database that is away leaves the request open', async () => {
    const request = pendingRequest();
    let away = true;
    const submission = openSubmission(world, request, {
      deps: {
        finish: () =>
          away ? Promise.reject(new ProcessingFailure('database_unavailable', 'away')) : Promise.resolve(true),
      },
    });
    const form = await answerForm(world, request);
    expect(await refusalOf(submission.submit(form))).toEqual(failsWith('database_unavailable'));
    away = false;
    expect(await submission.submit(form)).toEqual({});
  });
});

it('VP:J18 a query without holder binding takes the bare credential', async () => {
  const dcqlQuery = { credentials: [pidQuery({ require_cryptographic_holder_binding: false })] };
  const request = pendingRequest({ dcqlQuery });
  const submission = openSubmission(world, request);
  const sdJwt = (await present(world, request, 'cross-device')).split('~').slice(0, -1).join('~');
  const vpToken = { pid: [`${sdJwt}~`] };
  expect(
    await submission.submit(encryptedForm(request, 'cross-device', { state: request.state, vp_token: vpToken })),
  ).toEqual({});
  const { event } = endOf(submission);
  expect(event.status === 'FULFILLED' && event.credentials['pid']?.[0]).not.toHaveProperty('kbKeyId');
});
