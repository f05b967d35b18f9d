import { setTimeout } from 'node:timers/promises';
import type { Clock, RandomBytes } from '@vestibule/foundation';
import type { RedirectUriRules } from '@vestibule/oid4vp';
import { createPresentationRequest } from './use-cases/create-presentation-request';
import { expectPresentation, type ExpectPresentationDeps } from './use-cases/expect-presentation';
import {
  expirePresentationRequests,
  type ExpirePresentationRequestsDeps,
} from './use-cases/expire-presentation-requests';
import { getPresentationRequest, type GetPresentationRequestDeps } from './use-cases/get-presentation-request';
import { getRequestObject, type GetRequestObjectDeps } from './use-cases/get-request-object';
import type { JudgeDeps } from './use-cases/judge-response';
import { submitPresentation, type SubmitPresentationDeps } from './use-cases/submit-presentation';
import type { CreatePresentationRequestDeps } from './use-cases/create-presentation-request';

type Store = Pick<CreatePresentationRequestDeps, 'insert'> &
  Pick<SubmitPresentationDeps, 'findPending' | 'finish' | 'findAccepted'> &
  Pick<ExpectPresentationDeps, 'isExpected'> &
  Pick<ExpirePresentationRequestsDeps, 'findOverdue' | 'expire' | 'purge'> &
  GetPresentationRequestDeps;

/** Between two batches of expired ones: 100,000 at one moment take less than a minute all the same. */
const REST_MILLISECONDS = 20;

/** The outside world as the verifier needs it. */
export interface VerifierAdapters extends JudgeDeps {
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly stopwatch: () => number;
  readonly awaitedMilliseconds: SubmitPresentationDeps['awaitedMilliseconds'];
  readonly baseUrl: string;
  readonly redirectUriRules: RedirectUriRules;
  readonly callbackUrlFault: CreatePresentationRequestDeps['callbackUrlFault'];
  readonly certificate: Pick<CreatePresentationRequestDeps, 'currentClientId'> & Pick<GetRequestObjectDeps, 'signerOf'>;
  readonly store: Store;
  /** Tells the deliverer that an event was committed. */
  readonly wakeDelivery: () => void;
}

/** All use cases of the verifier over the given adapters: the only wiring there is. */
export function composeVerifier(adapters: VerifierAdapters) {
  const { store, certificate, wakeDelivery } = adapters;
  const deps = { ...adapters, ...certificate };
  const findPending: Store['findPending'] = (state, now) => store.findPending(state, now);
  return {
    createPresentationRequest: createPresentationRequest({
      ...deps,
      insert: (request, answer, call) => store.insert(request, answer, call),
    }),
    getPresentationRequest: getPresentationRequest({ findView: (state) => store.findView(state) }),
    getRequestObject: getRequestObject({ ...deps, findPending }),
    expectPresentation: expectPresentation({ ...deps, isExpected: (state, now) => store.isExpected(state, now) }),
    submitPresentation: submitPresentation({
      ...deps,
      findPending,
      findAccepted: (state) => store.findAccepted(state),
      async finish(ending) {
        const first = await store.finish(ending);
        if (first) wakeDelivery();
        return first;
      },
    }),
    expirePresentationRequests: expirePresentationRequests({
      ...deps,
      findOverdue: (now, limit) => store.findOverdue(now, limit),
      purge: (now, limit) => store.purge(now, limit),
      rest: () => setTimeout(REST_MILLISECONDS),
      async expire(endings, now) {
        const count = await store.expire(endings, now);
        if (count > 0) wakeDelivery();
        return count;
      },
    }),
  };
}

export type Verifier = ReturnType<typeof composeVerifier>;
