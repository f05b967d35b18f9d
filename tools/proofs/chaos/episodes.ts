import type { Fault } from './faults';
import type { RunFlow } from './flows';
import { findRecovery, type Recovery, type Sample } from './samples';
import { judgeFlows, type SeenCallback } from './verdict';
import type { Watcher } from './watcher';

/** The time of one fault, in milliseconds of `performance.now()`. */
export interface Episode {
  readonly fault: Fault;
  readonly beganAt: number;
  readonly endedAt: number;
  /** The time from which seconds are counted. */
  readonly markedAt: number;
  /** When everything was well again, or the wait was given up. */
  readonly overAt: number;
  readonly isBack: boolean;
}

/** One line of the table. */
export interface FaultResult extends Recovery {
  readonly name: string;
  readonly from: Fault['from'];
  readonly boundSeconds: number;
  /** First attempts, and how many of them got no answer or 503. */
  readonly asked: number;
  readonly away: number;
  readonly wrong: number;
  readonly lost: number;
  /** Offers that ended as ISSUED although the wallet holds nothing. */
  readonly notHeld: number;
  /** Everything that was wrong, lost or too late. */
  readonly faults: readonly string[];
}

/** A flow with its final status; `startedAt` is in milliseconds of `performance.now()`. */
export type EndedFlow = RunFlow & { readonly startedAt: number; readonly finalStatus: string };

interface Outcome {
  readonly samples: readonly Sample[];
  readonly flowFaults: readonly string[];
  readonly notHeld: number;
}

/** While a status host is unreachable, no credential can be known to be valid. */
function blindAcceptances({ fault, beganAt, endedAt }: Episode, samples: readonly Sample[]): string[] {
  if (fault.isOfStatusHost !== true) return [];
  const blind = samples.filter(
    (sample) =>
      sample.question === 'presentation' &&
      sample.outcome === 'good' &&
      sample.startedAt > beganAt &&
      sample.endedAt < endedAt,
  );
  return blind.map(() => 'a presentation was accepted without its status list');
}

function staysReady({ fault, beganAt, endedAt }: Episode, samples: readonly Sample[]): string[] {
  if (fault.endsReadiness !== true) return [];
  const told = samples.some(
    ({ question, outcome, startedAt }) =>
      question === 'ready' && outcome === 'away' && startedAt >= beganAt && startedAt <= endedAt,
  );
  return told ? [] : ['it was ready all the time'];
}

function late({ fault, isBack }: Episode, { firstGoodSeconds, steadySeconds }: Recovery): string[] {
  const { boundSeconds } = fault;
  if (firstGoodSeconds === undefined) return ['there was no good answer of each kind'];
  return [
    ...(firstGoodSeconds > boundSeconds ? [`the first good answers took ${firstGoodSeconds} s`] : []),
    ...(steadySeconds > boundSeconds ? [`questions failed up to ${steadySeconds} s`] : []),
    ...(isBack ? [] : ['it did not come back, and was started anew']),
  ];
}

function resultOf(episode: Episode, { samples, flowFaults, notHeld }: Outcome): FaultResult {
  const { fault, markedAt, beganAt, overAt } = episode;
  const during = samples.filter(({ startedAt }) => startedAt >= beganAt && startedAt < overAt);
  const recovery = findRecovery(during, markedAt);
  const wrongAnswers = during.flatMap(({ outcome, text }) => (outcome === 'wrong' ? [text ?? 'wrong'] : []));
  const lost = flowFaults.filter((text) => text.includes('no callback'));
  const wrong = [
    ...wrongAnswers,
    ...flowFaults.filter((text) => !text.includes('no callback')),
    ...blindAcceptances(episode, during),
    ...staysReady(episode, during),
  ];
  return {
    name: fault.name,
    from: fault.from,
    boundSeconds: fault.boundSeconds,
    ...recovery,
    asked: during.length,
    away: during.filter(({ outcome }) => outcome === 'away').length,
    wrong: wrong.length,
    lost: lost.length,
    notHeld,
    faults: [...late(episode, recovery), ...wrong, ...lost],
  };
}

interface Seen {
  /** What the watcher requested, and what went wrong with a flow after its first attempt. */
  readonly watched: Pick<Watcher, 'samples' | 'faults'>;
  readonly flows: readonly EndedFlow[];
  readonly callbacks: readonly SeenCallback[];
}

/** The result of each fault; a flow belongs to the fault before whose end it began. */
export function judgeEpisodes(episodes: readonly Episode[], { watched, flows, callbacks }: Seen): FaultResult[] {
  return episodes.map((episode, index) => {
    const since = index === 0 ? Number.NEGATIVE_INFINITY : (episodes[index - 1]?.overAt ?? 0);
    const until = index === episodes.length - 1 ? Number.POSITIVE_INFINITY : episode.overAt;
    const isMine = ({ startedAt }: { readonly startedAt: number }) => startedAt >= since && startedAt < until;
    const mine = flows.filter(isMine);
    const later = watched.faults.filter(isMine).map(({ text }) => text);
    return resultOf(episode, {
      samples: watched.samples,
      flowFaults: [...judgeFlows(mine, callbacks).faults, ...later],
      notHeld: mine.filter(({ isHeld, finalStatus }) => isHeld === false && finalStatus === 'ISSUED').length,
    });
  });
}
