import { randomBytes } from 'node:crypto';
import type { VerifiedPresentation } from '@vestibule/oid4vp';
import type { Ending } from '../domain/presentation-ending';
import type { PendingRequest } from '../domain/presentation-request';
import { presentedCredentialsEvent } from '../domain/presented-credentials-event';
import { submitPresentation, type SubmitPresentationDeps } from '../use-cases/submit-presentation';
import { judgeDeps, judgeOver, type JudgeDeps } from './judge.fixture-spec';
import { NOW, type Form, type World } from './verifier.fixture-spec';

type Requests = SubmitPresentationDeps['requests'];

/** What a submission and its steps need together. */
interface SubmissionDeps extends Omit<SubmitPresentationDeps, 'judge' | 'requests'>, Requests, JudgeDeps {}

export interface SubmissionOptions {
  readonly checkStatus?: (presentation: VerifiedPresentation) => Promise<void>;
  readonly deps?: Partial<SubmissionDeps>;
}

/** One open request over fakes that keep what they are given. */
export function openSubmission(world: World, request: PendingRequest, options: SubmissionOptions = {}) {
  const endings: Ending[] = [];
  const reported: unknown[] = [];
  const checked: string[] = [];
  let clockReads = 0;
  const deps: SubmissionDeps = {
    clock() {
      clockReads += 1;
      return NOW;
    },
    random: randomBytes,
    stopwatch: () => 0,
    awaitedMilliseconds: () => 30_000,
    eventOf: ({ state }, outcome) => presentedCredentialsEvent(state, outcome),
    ...judgeDeps(world),
    async checkStatus(presentation) {
      checked.push(presentation.credentialId);
      await options.checkStatus?.(presentation);
    },
    reportUnexpected: (error) => reported.push(error),
    findPending: (state, now) =>
      Promise.resolve(state === request.state && endings.length === 0 && now < request.expiresAt ? request : undefined),
    finish(ending) {
      if (endings.length > 0) return Promise.resolve(false);
      endings.push(ending);
      return Promise.resolve(true);
    },
    findAccepted: (state) => Promise.resolve(endings.find((ending) => ending.state === state)?.accepted),
    ...options.deps,
  };
  const submit = submitPresentation({ ...deps, requests: deps, judge: judgeOver(deps) });
  return {
    endings,
    reported,
    checked,
    clockReads: () => clockReads,
    submit: (form: Form, state = request.state) => submit({ state, form }),
  };
}

/** The one end of a request. */
export function endOf({ endings }: { readonly endings: readonly Ending[] }): Ending {
  expect(endings).toHaveLength(1);
  return endings[0] as Ending;
}
