import type { ClaimPath } from './claim-path';

/** Whether a claim must, may or must not be selectively disclosable (SD-JWT VC §9.4). */
export type SelectiveDisclosure = 'always' | 'allowed' | 'never';

/** How a wallet shows a claim in one language (SD-JWT VC §9.2). */
export interface ClaimDisplay {
  readonly locale: string;
  readonly label: string;
  readonly description?: string;
}

/** What a type says about one claim (SD-JWT VC §9). */
export interface ClaimMetadata {
  readonly path: ClaimPath;
  readonly mandatory: boolean;
  readonly sd: SelectiveDisclosure;
  readonly display: readonly ClaimDisplay[];
  readonly svgId?: string;
}
