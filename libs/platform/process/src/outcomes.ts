import type { Metrics } from './metrics';

/** The event of a flow's end, as far as it is counted. */
export interface EndedFlow {
  readonly status: string;
  readonly errorDetails?: string | undefined;
}

/** Ends whose `errorDetails` begin with a code of this program; elsewhere, a wallet may have written them. */
const CODED: ReadonlySet<string> = new Set(['VERIFICATION_FAILED', 'PROCESSING_ERROR', 'FAILED']);
const CODE = /^[a-z][a-z0-9_]{1,63}(?=:|$)/;

function codeOf({ status, errorDetails = '' }: EndedFlow): string {
  return (CODED.has(status) ? CODE.exec(errorDetails)?.[0] : undefined) ?? 'none';
}

/** Counts how flows ended. */
export interface Outcomes {
  add(ended: EndedFlow): void;
  /** Of these, that many were ended by this process: one of another replica may have been first. */
  addSome(ended: readonly EndedFlow[], count: number): void;
}

/** Flows that end, by outcome and, for a failure, its code. */
export function countOutcomes(metrics: Pick<Metrics, 'counter'>, name: `${string}_total`, help: string): Outcomes {
  const count = metrics.counter(name, help, 'outcome', 'code');
  const add = (ended: EndedFlow): void => count(ended.status, codeOf(ended));
  return {
    add,
    addSome(ended, number) {
      ended.slice(0, number).forEach(add);
    },
  };
}
