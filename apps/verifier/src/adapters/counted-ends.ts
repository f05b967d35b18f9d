import type { Metrics, Outcomes } from '@vestibule/process';
import type { PresentationRequests } from '../domain/ports';
import type { JudgeResponse } from '../use-cases/judge-response';

/** A store of requests whose ends are counted where it was this process that ended one. */
export function countedRequests(stored: PresentationRequests, outcomes: Outcomes): PresentationRequests {
  const counted =
    (end: PresentationRequests['finish']): PresentationRequests['finish'] =>
    async (ending) => {
      const isFirst = await end(ending);
      if (isFirst) outcomes.add(ending.event);
      return isFirst;
    };
  return {
    ...stored,
    finish: counted(stored.finish),
    cancel: counted(stored.cancel),
    async expire(expiries, now) {
      const count = await stored.expire(expiries, now);
      outcomes.addSome(
        expiries.map(({ event }) => event),
        count,
      );
      return count;
    },
  };
}

/** The label of requests in the name of the default relying party; no other can have this name. */
const DEFAULT_PARTY = '_default';

/** Counts requests by the relying party in whose name they were made; a call that is repeated counts again. */
export function countedInsertions(
  insert: PresentationRequests['insert'],
  metrics: Pick<Metrics, 'counter'>,
): PresentationRequests['insert'] {
  const help = 'Presentation requests that were made, by relying party';
  const count = metrics.counter('presentation_requests_made_total', help, 'relying_party');
  return async (request, answer, call) => {
    const made = await insert(request, answer, call);
    count(request.relyingParty ?? DEFAULT_PARTY);
    return made;
  };
}

const SECOND_MILLISECONDS = 1000;

/** Measures the checks of each response, as its decision record has them. */
export function measuredJudgement(judge: JudgeResponse, metrics: Pick<Metrics, 'durations'>): JudgeResponse {
  const observe = metrics.durations(
    'vestibule_verification_step_duration_seconds',
    'Checks of responses, as in the decision record',
    ['check', 'outcome'],
  );
  return async (judged) => {
    const outcome = await judge(judged);
    for (const entry of judged.checks.entries)
      observe(entry.milliseconds / SECOND_MILLISECONDS, entry.check, entry.outcome);
    return outcome;
  };
}
