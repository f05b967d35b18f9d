import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { createCheckLog, parseResponseForm } from '@vestibule/oid4vp';
import { within } from '../adapters/turns';
import {
  answerForm,
  createWorld,
  encryptedForm,
  NOW,
  pendingRequest,
  pidQuery,
  present,
  STATUS,
  type World,
} from '../testing/verifier.fixture-spec';
import { judgeResponse, type JudgeDeps } from './judge-response';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const revoked = new VerificationFailure('credential_revoked', { section: 's', meaning: 'm', remedy: 'r' });
const unreachable = new ProcessingFailure('egress_timeout', 'not in time');
const never = () => new Promise<never>(() => undefined);

/** Two presentations of one request, whose status checks end as they are told, in their order. */
async function judgeTwo(
  statuses: readonly (() => Promise<void>)[],
  more: Partial<JudgeDeps> = {},
  millisecondsLeft = 12_000,
) {
  const request = pendingRequest({ dcqlQuery: { credentials: [pidQuery({ multiple: true })] } });
  const pid = [
    await present(world, request, 'cross-device', { status: STATUS }),
    await present(world, request, 'cross-device', { status: STATUS }),
  ];
  const form = parseResponseForm(
    encryptedForm(request, 'cross-device', { state: request.state, vp_token: { pid } }),
    request.state,
  );
  const checks = createCheckLog(() => 0);
  let asked = 0;
  const deps: JudgeDeps = {
    trust: () => world.trust,
    skewSeconds: 60,
    pause: () => Promise.resolve(),
    within,
    loadPublishedKeys: () => Promise.reject(new Error('no metadata is needed')),
    checkStatus: () => (statuses[asked++] as () => Promise<void>)(),
    reportSurplus: () => undefined,
    reportUnexpected: () => undefined,
    ...more,
  };
  const outcome = await judgeResponse(deps, { request, form, checks, now: NOW, millisecondsLeft });
  return { outcome, entries: checks.entries, asked };
}

describe('the status lists of one answer', () => {
  it('are asked at the same time', async () => {
    let release = () => undefined as void;
    const second = new Promise<void>((resolve) => (release = resolve));
    const { outcome, asked } = await judgeTwo([() => second, async () => release()]);
    expect([outcome.status, asked]).toEqual(['FULFILLED', 2]);
  });

  it('decide against it at once, whatever else is not known yet', async () => {
    const { outcome } = await judgeTwo([never, () => Promise.reject(revoked)]);
    expect(outcome).toMatchObject({ status: 'VERIFICATION_FAILED' });
  });

  it('decide against it although another list could not be had before', async () => {
    const later = () => new Promise<void>((_, reject) => setImmediate(() => reject(revoked)));
    const { outcome, entries } = await judgeTwo([() => Promise.reject(unreachable), later]);
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^credential_revoked: credential "pid": /));
    expect(entries.map(({ code }) => code).filter(Boolean)).toEqual(['egress_timeout', 'credential_revoked']);
  });

  it('leave it undecided where one of them cannot be had', async () => {
    const { outcome } = await judgeTwo([() => Promise.resolve(), () => Promise.reject(unreachable)]);
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^egress_timeout: /));
  });

  it('may leave a note in the record', async () => {
    const request = pendingRequest();
    const form = parseResponseForm(await answerForm(world, request, 'cross-device', { status: STATUS }), request.state);
    const checks = createCheckLog(() => 0);
    const deps: JudgeDeps = {
      trust: () => world.trust,
      skewSeconds: 60,
      pause: () => Promise.resolve(),
      within,
      loadPublishedKeys: () => Promise.reject(new Error('no metadata is needed')),
      checkStatus: (_presentation, _now, { note }) => Promise.resolve(note('status_list_past_ttl')),
      reportSurplus: () => undefined,
      reportUnexpected: () => undefined,
    };
    await judgeResponse(deps, { request, form, checks, now: NOW, millisecondsLeft: 12_000 });
    expect(checks.entries.filter(({ note }) => note !== undefined)).toMatchObject([
      { check: 'status', outcome: 'passed', note: 'status_list_past_ttl' },
    ]);
  });
});

describe('a judgement that takes too long', () => {
  it('ends as PROCESSING_ERROR, which is not the wallet’s fault', async () => {
    const { outcome } = await judgeTwo([never, never], {}, 20);
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^judgement_timeout: /));
  });

  it('ends so where no time was left from the beginning, whatever the answer holds', async () => {
    const { outcome } = await judgeTwo([never, never], {}, -1);
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^judgement_timeout: /));
  });

  it('stops working between two presentations', async () => {
    let pauses = 0;
    let goOn = () => undefined as void;
    const pause = () => {
      pauses += 1;
      return new Promise<void>((resolve) => (goOn = resolve));
    };
    const { outcome, entries } = await judgeTwo([never, never], { pause }, 20);
    const before = entries.length;
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect([outcome.status, pauses, entries.length]).toEqual(['PROCESSING_ERROR', 1, before]);
  });
});
