import type { EudiStage } from './eudi-stage';

/** A row that is known to be open: resolves as soon as it works. */
export type OpenRow = (eudi: EudiStage) => Promise<void>;

/** The only list of what is open; each has its reason in docs/requirements/eu-wallet.json. */
export const OPEN_ROWS: Readonly<Record<string, OpenRow>> = {};
