import { ProcessingFailure, VerificationFailure } from '@vestibule/foundation';
import { createCheckLog, parseResponseForm } from '@vestibule/oid4vp';
import { within } from '../adapters/turns';
import { judgeDeps, judgeOver, type JudgeDeps } from '../testing/judge.fixture-spec';
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

let world: World;
beforeAll(async () => {
  world = await createWorld();
});

const revoked = new VerificationFailure('credential_revoked', { section: 's', meaning: 'm', remedy: 'r' });
const unreachable = new ProcessingFailure('egress_timeout', 'not in time');
const never = () => new Promise<never>(() => undefined);

/** Presentations of one request, two unless told otherwise, whose status checks end as they are told, in their order. */
async function judgeSome(
  statuses: readonly (() => Promise<void>)[],
  more: Partial<JudgeDeps> = {},
  millisecondsLeft = 12_000,
  references: readonly (typeof STATUS)[] = [STATUS, STATUS],
) {
  const request = pendingRequest({ dcqlQuery: { credentials: [pidQuery({ multiple: true })] } });
  const pid: string[] = [];
  for (const status of references) pid.push(await present(world, request, 'cross-device', { status }));
  const form = parseResponseForm(
    encryptedForm(request, 'cross-device', { state: request.state, vp_token: { pid } }),
    request.state,
  );
  const checks = createCheckLog(() => 0);
  let asked = 0;
  const deps: JudgeDeps = {
    ...judgeDeps(world),
    within,
    checkStatus: () => (statuses[asked++] as () => Promise<void>)(),
    ...more,
  };
  const outcome = await judgeOver(deps)({ request, form, checks, now: NOW, millisecondsLeft });
  return { outcome, entries: checks.entries, asked };
}

describe('the status lists of one answer', () => {
  it('are counted before any is fetched', async () => {
    const statusOf = (index: number) => ({ ...STATUS, uri: `${STATUS.uri}/${index}` });
    const ask = (count: number) =>
      judgeSome(
        Array.from({ length: count }, () => async () => undefined),
        {},
        12_000,
        Array.from({ length: count }, (_, index) => statusOf(index)),
      );
    const { outcome, entries, asked } = await ask(17);
    expect(outcome).toMatchObject({ status: 'VERIFICATION_FAILED' });
    expect(entries.at(-1)).toMatchObject({ check: 'status', outcome: 'failed', code: 'too_many_status_lists' });
    expect(entries.filter(({ outcome: end }) => end === 'failed')).toHaveLength(1);
    expect(asked).toBe(0);
    expect(await ask(16)).toMatchObject({ outcome: { status: 'FULFILLED' }, asked: 16 });
  });

  it('are asked at the same time', async () => {
    let release = () => undefined as void;
    const second = new Promise<void>((resolve) => (release = resolve));
    const { outcome, asked } = await judgeSome([() => second, async () => release()]);
    expect([outcome.status, asked]).toEqual(['FULFILLED', 2]);
  });

  it('decide against it at once, whatever else is not known yet', async () => {
    const { outcome } = await judgeSome([never, () => Promise.reject(revoked)]);
    expect(outcome).toMatchObject({ status: 'VERIFICATION_FAILED' });
  });

  it('decide against it although another list could not be had before', async () => {
    const later = () => new Promise<void>((_, reject) => setImmediate(() => reject(revoked)));
    const { outcome, entries } = await judgeSome([() => Promise.reject(unreachable), later]);
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^credential_revoked: credential "pid": /));
    expect(entries.map(({ code }) => code).filter(Boolean)).toEqual(['egress_timeout', 'credential_revoked']);
  });

  it('leave it undecided where one of them cannot be had', async () => {
    const { outcome } = await judgeSome([() => Promise.resolve(), () => Promise.reject(unreachable)]);
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^egress_timeout: /));
  });

  it('may leave a note in the record', async () => {
    const request = pendingRequest();
    const form = parseResponseForm(await answerForm(world, request, 'cross-device', { status: STATUS }), request.state);
    const checks = createCheckLog(() => 0);
    const deps: JudgeDeps = {
      ...judgeDeps(world),
      within,
      checkStatus: (_presentation, _now, { note }) => Promise.resolve(note('status_list_past_ttl')),
    };
    await judgeOver(deps)({ request, form, checks, now: NOW, millisecondsLeft: 12_000 });
    expect(checks.entries.filter(({ note }) => note !== undefined)).toMatchObject([
      { check: 'status', outcome: 'passed', note: 'status_list_past_ttl' },
    ]);
  });
});

describe('a judgement that takes too long', () => {
  it('ends as PROCESSING_ERROR, which is not the wallet’s fault', async () => {
    const { outcome } = await judgeSome([never, never], {}, 20);
    expect(outcome).toMatchObject({ status: 'PROCESSING_ERROR', causedByWallet: false });
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^judgement_timeout: /));
  });

  it('ends so where no time was left from the beginning, whatever the answer holds', async () => {
    const { outcome } = await judgeSome([never, never], {}, -1);
    expect(outcome).toHaveProperty('errorDetails', expect.stringMatching(/^judgement_timeout: /));
  });

  it('stops working between two presentations', async () => {
    let pauses = 0;
    let goOn = () => undefined as void;
    const pause = () => {
      pauses += 1;
      return new Promise<void>((resolve) => (goOn = resolve));
    };
    const { outcome, entries } = await judgeSome([never, never], { pause }, 20);
    const before = entries.length;
    goOn();
    await new Promise((resolve) => setImmediate(resolve));
    expect([outcome.status, pauses, entries.length]).toEqual(['PROCESSING_ERROR', 1, before]);
  });
});
