import { BODY_KINDS } from './kinds/bodies';
import { CHAIN_KINDS } from './kinds/chains';
import { CLAIM_KINDS } from './kinds/claims';
import { CONTENT_KINDS } from './kinds/contents';
import type { HostileKind } from './kinds/hostile-kind';
import { LIST_KINDS } from './kinds/lists';

export type { HostileKind } from './kinds/hostile-kind';

/** Every kind of hostile answer. */
export const HOSTILE_KINDS: readonly HostileKind[] = [
  ...CHAIN_KINDS,
  ...CLAIM_KINDS,
  ...CONTENT_KINDS,
  ...LIST_KINDS,
  ...BODY_KINDS,
];
