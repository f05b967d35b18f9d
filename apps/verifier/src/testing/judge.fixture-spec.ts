import { judgeResponse, type JudgeResponse, type JudgeResponseDeps } from '../use-cases/judge-response';
import { verifyTokens, type VerifyTokensDeps } from '../use-cases/verify-tokens';
import type { World } from './verifier.fixture-spec';

/** What judging an answer and its step need together. */
export interface JudgeDeps extends VerifyTokensDeps, Omit<JudgeResponseDeps, 'verifyTokens'> {}

/** What judging an answer needs, where nothing of it matters: every status holds, nobody is told, no time passes. */
export const judgeDeps = (world: World): JudgeDeps => ({
  trust: () => world.trust,
  skewSeconds: 60,
  pause: () => Promise.resolve(),
  within: (_milliseconds, task) => task(),
  loadPublishedKeys: () => Promise.reject(new Error('no metadata is needed')),
  checkStatus: () => Promise.resolve(),
  reportSurplus: () => undefined,
  reportUnexpected: () => undefined,
});

/** Judges over the real step. */
export const judgeOver = (deps: JudgeDeps): JudgeResponse =>
  judgeResponse({ ...deps, verifyTokens: verifyTokens(deps) });
