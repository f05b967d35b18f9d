import { STATUS_INVALID, type StatusEntry } from '@vestibule/status-list';
import type { Reports, StatusLists } from '../domain/ports';
import { createRevocationMemory, lostRevocations, revocationsOf } from '../domain/revocations';
import type { ListContent } from '../domain/status-list';

export interface WitnessListsDeps {
  readonly issuerUrl: string;
  readonly findList: StatusLists['findList'];
  readonly reportLostRevocations: Reports['reportLostRevocations'];
}

/** What this process has seen of lists decides with the database about what is revoked. */
export interface ListWitness {
  /** As `findList` of the store, with terms; a publication that lacks what was revoked before counts as older than any. */
  readonly findList: StatusLists['findList'];
  /**
   * The entries of a list, and what was revoked before: in the last publication, whose token this is, or in the last one that
   * this process has seen. Somebody may have set that back in the database.
   */
  readonly keepRevocations: (listId: string, published: string | undefined, content: ListContent) => StatusEntry[];
}

const OLDER_THAN_ANY = -1;

/** Remembers the lists of one issuer identifier, and reports what the database has lost. */
export function witnessLists({ issuerUrl, findList, reportLostRevocations }: WitnessListsDeps): ListWitness {
  const memory = createRevocationMemory(issuerUrl);
  return {
    async findList(listId, knownEtag) {
      const state = await findList(listId, memory.hasSeenLast(listId, knownEtag) ? knownEtag : undefined);
      const publication = state?.publication;
      if (!publication) return state;
      const terms = memory.admit(listId, publication);
      return { ...state, publication: terms ? { ...publication, terms } : { ...publication, version: OLDER_THAN_ANY } };
    },
    keepRevocations(listId, published, { entries, isOver }) {
      const lost = lostRevocations(entries, memory.publishedIn(listId, published), memory.revokedIn(listId));
      if (lost.length > 0 && !isOver) reportLostRevocations(listId, lost.length);
      // The last one counts where an index is named twice.
      const final = [...entries, ...lost.map((idx) => ({ idx, status: STATUS_INVALID }))];
      memory.keep(listId, revocationsOf(final));
      return final;
    },
  };
}
