/** One place where a document names a node by its id. */
interface Occurrence {
  /** Steps from the root of the graph. */
  readonly depth: number;
  /** Is it a value of `credentialSubject`? */
  readonly isSubject: boolean;
  /** Does the document say more of the node there than its id? */
  readonly described: boolean;
}

/** The nodes of one graph, by id. */
export interface Scope {
  note(id: string, occurrence: Occurrence): void;
  readonly occurrences: ReadonlyMap<string, readonly Occurrence[]>;
}

export function createScope(): Scope {
  const occurrences = new Map<string, Occurrence[]>();
  return {
    occurrences,
    note(id, { depth, isSubject, described }) {
      const known = occurrences.get(id);
      if (known) known.push({ depth, isSubject, described });
      else occurrences.set(id, [{ depth, isSubject, described }]);
    },
  };
}

/**
 * A graph does not say at which of its occurrences a node was described: who passes the document on could move the claims
 * from one to another. The nearest to the root is the one; of two as near, the subject of the credential.
 */
function isInPlace(occurrences: readonly Occurrence[]): boolean {
  const [own, ...more] = occurrences.filter(({ described }) => described);
  if (!own) return true;
  if (more.length > 0) return false;
  const asNear = occurrences.filter((other) => other !== own && other.depth <= own.depth);
  return asNear.every(({ depth, isSubject }) => depth === own.depth && own.isSubject && !isSubject);
}

/** Is each node described in one place, which is the only possible one? */
export function describesOnce({ occurrences }: Scope): boolean {
  return [...occurrences.values()].every(isInPlace);
}
