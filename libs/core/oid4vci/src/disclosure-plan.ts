import { childNode, type ClaimNode } from './claim-tree';
import type { SelectiveDisclosure } from './claim-metadata';
import type { CredentialType } from './credential-type';
import { RESERVED_CLAIMS } from './reserved-claims';

/** Returns for a place in a credential, including array indexes, whether it gets its own Disclosure. */
export type DisclosurePlan = (path: readonly (string | number)[]) => SelectiveDisclosure;

function plan(root: ClaimNode, path: readonly (string | number)[]): SelectiveDisclosure {
  let node: ClaimNode | undefined = root;
  let listedAbove = false;
  for (const part of path) {
    listedAbove ||= node?.claim !== undefined;
    node = node && childNode(node, part);
  }
  if (node?.claim) return node.claim.sd;
  return listedAbove || node ? 'never' : 'allowed';
}

/**
 * The selective disclosure rules of a type, place by place (SD-JWT VC §9.4). A listed claim has its own `sd`. A
 * sub-claim that the type does not list belongs to the listed claim above it and gets no separate Disclosure, so that
 * disclosing `address` discloses all of it; neither does an object that exists only because a claim inside it is
 * listed. Claims that the issuer sets itself are never disclosed selectively. A place that is not listed at all is
 * `allowed`: hiding is the safe choice.
 */
export function disclosurePlan(type: CredentialType): DisclosurePlan {
  return (path) => {
    const [name] = path;
    if (typeof name === 'string' && RESERVED_CLAIMS.has(name)) return 'never';
    return plan(type.claimTree, path);
  };
}
