import { useEffect, useState } from 'react';
import { call, manage, type FlowView, type LoggedCallback } from './api';

const OPEN = ['PENDING', 'OFFER_CREATED'];
const PAUSE_MILLISECONDS = 700;
/** Callbacks come after the end; an issuance only when the wallet has its credential. */
const AFTER_END = 12;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export interface Flow {
  readonly view?: FlowView;
  readonly callbacks: readonly LoggedCallback[];
}

/**
 * Follows a request or an offer: its status, and the callbacks about it.
 * @param path `/oidc4vp/{state}` or `/offers/{offer_id}`
 * @param round anything that changes when the flow may have new callbacks
 */
export function useFlow(path: string | undefined, round: unknown): Flow {
  const [flow, setFlow] = useState<Flow>({ callbacks: [] });
  useEffect(() => {
    if (path === undefined) return undefined;
    let isOver = false;
    const follow = async () => {
      const subject = path.slice(path.lastIndexOf('/') + 1);
      for (let left = AFTER_END; left > 0 && !isOver;) {
        const view = await manage<FlowView>('GET', path);
        const { items } = await call<{ items: readonly LoggedCallback[] }>('GET', `/callbacks?subject=${subject}`);
        if (isOver) return;
        setFlow({ view, callbacks: items });
        if (!OPEN.includes(view.status)) left -= 1;
        await pause(PAUSE_MILLISECONDS);
      }
    };
    setFlow({ callbacks: [] });
    // An installation that does not answer is shown by the next action; this only stops.
    follow().catch(() => undefined);
    return () => {
      isOver = true;
    };
  }, [path, round]);
  return flow;
}

/** True while a wallet can still answer. */
export const isOpen = (view: FlowView | undefined): boolean => view === undefined || OPEN.includes(view.status);
