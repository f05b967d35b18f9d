import { canonicalize } from '../canonicalize';
import type { KnownContexts } from '../contexts';
import { vcdmFailure } from '../failures';
import type { StatusLists } from '../verify-status';
import { now, TERMS, termsDocument } from './stranger.fixture-spec';

/** What a store knows whose operator allows {@link TERMS}; `own` contexts are those that it writes itself. */
export const knowing = (own: readonly object[] = []) => {
  const contexts: KnownContexts = {
    find: (url) => Promise.resolve(url === TERMS ? structuredClone(termsDocument) : undefined),
    findTexts: (url) => Promise.resolve(url === TERMS ? [JSON.stringify(termsDocument)] : []),
    isOwn: (context) => own.some((one) => JSON.stringify(one) === JSON.stringify(context)),
  };
  return { contexts, canonicalize };
};
/** Finds no status list. */
export const noStatusLists: StatusLists = {
  find: () => Promise.reject(vcdmFailure('vc_status_host_not_allowed')),
  issuers: new Set(),
};
export const verifying = { now, skewSeconds: 60, ...knowing(), statusLists: noStatusLists };
