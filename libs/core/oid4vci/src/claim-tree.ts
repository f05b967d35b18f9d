import type { ClaimMetadata } from './claim-metadata';
import type { ClaimPath } from './claim-path';

/** The claims of a type as a tree: a node without `claim` is only there because a claim below it is listed. */
export interface ClaimNode {
  claim: ClaimMetadata | undefined;
  readonly members: Map<string, ClaimNode>;
  /** The node of every array element, where the type speaks of all of them. */
  elements: ClaimNode | undefined;
  readonly indexes: Map<number, ClaimNode>;
}

/** A node that lists nothing. */
export function emptyClaimNode(): ClaimNode {
  return { claim: undefined, members: new Map(), elements: undefined, indexes: new Map() };
}

/** The node below `node` for a member or an array element of a credential. */
export function childNode(node: ClaimNode, part: string | number): ClaimNode | undefined {
  if (typeof part === 'string') return node.members.get(part);
  return node.indexes.get(part) ?? node.elements;
}

function contradiction(node: ClaimNode, part: ClaimPath[number]): string | undefined {
  const listsElements = node.elements !== undefined || node.indexes.size > 0;
  if (typeof part === 'string') return listsElements ? 'uses as an object what is an array elsewhere' : undefined;
  if (node.members.size > 0) return 'uses as an array what is an object elsewhere';
  const mixes = part === null ? node.indexes.size > 0 : node.elements !== undefined;
  return mixes ? 'mixes null and an index on one array' : undefined;
}

function createChild(node: ClaimNode, part: ClaimPath[number]): ClaimNode {
  const child = emptyClaimNode();
  if (typeof part === 'string') node.members.set(part, child);
  else if (part === null) node.elements = child;
  else node.indexes.set(part, child);
  return child;
}

function existingChild(node: ClaimNode, part: ClaimPath[number]): ClaimNode | undefined {
  if (part === null) return node.elements;
  return typeof part === 'string' ? node.members.get(part) : node.indexes.get(part);
}

/** Adds a claim to the tree, or says why its path contradicts those before it (OpenID4VCI 1.0 §B.3). */
export function addClaim(root: ClaimNode, claim: ClaimMetadata): string | undefined {
  let node = root;
  for (const part of claim.path) {
    const wrong = contradiction(node, part);
    if (wrong !== undefined) return wrong;
    node = existingChild(node, part) ?? createChild(node, part);
  }
  if (node.claim) return 'occurs twice';
  node.claim = claim;
  return undefined;
}
