import type { JudgeDeps } from '../use-cases/judge-response';
import type { World } from './verifier.fixture-spec';

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
