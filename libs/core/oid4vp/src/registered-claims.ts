import { showClaimPath, type ClaimPath, type CredentialQuery, type DcqlQuery } from '@vestibule/dcql';
import { below, collectFaults, type Fault, type FaultNote } from '@vestibule/foundation';
import type { RegisteredCredential } from './registration-certificate';

type Part = ClaimPath[number];

/** All elements of an array stand for each of them. */
const coversPart = (registered: Part, requested: Part | undefined): boolean =>
  registered === requested || (registered === null && typeof requested === 'number');

/** A registered claim stands for everything within it. */
const covers = (registered: ClaimPath, requested: ClaimPath): boolean =>
  registered.length <= requested.length && registered.every((part, index) => coversPart(part, requested[index]));

const registers = (path: ClaimPath) => (credential: RegisteredCredential) =>
  credential.paths === undefined || credential.paths.some((registered) => covers(registered, path));

/** Indexes of the claims that none of these credentials registers. */
const missingIn = (query: CredentialQuery, credentials: readonly RegisteredCredential[]): readonly number[] =>
  query.claims.flatMap(({ path }, index) => (credentials.some(registers(path)) ? [] : [index]));

/** Each type of a query needs to be registered with each claim, since a credential of any of them may answer it. */
function noteFaults(query: CredentialQuery, registered: readonly RegisteredCredential[], note: FaultNote): void {
  // Many types may share their registrations: their claims are compared once.
  const known = new Map<string, readonly number[]>();
  query.meta.vctValues.forEach((vct, index) => {
    const places = registered.flatMap(({ format, vctValues }, place) =>
      format === query.format && vctValues.includes(vct) ? [place] : [],
    );
    if (places.length === 0) note(`meta.vct_values[${index}]`, 'is a type that is not registered for this use');
    const key = places.join();
    const ofType = registered.filter((_credential, place) => places.includes(place));
    const missing = places.length === 0 ? [] : (known.get(key) ?? missingIn(query, ofType));
    known.set(key, missing);
    for (const claim of missing) {
      const path = showClaimPath(query.claims[claim]?.path ?? []);
      note(
        `claims[${claim}]`,
        `asks for ${path}, which is not registered for this use and type ${JSON.stringify(vct)}`,
      );
    }
  });
}

/** A request for more than that is not a mistake in a few places. */
const MAX_FAULTS = 100;

/**
 * What a query asks for and a registration certificate does not register (ARF RPRC_21): each type and each claim, with
 * its place below `dcql_query`, at most 100 of them. A claim that is registered stands for its members and elements
 * too; types are compared as they are written. Expected `values` are not compared.
 */
export function unregisteredClaims(query: DcqlQuery, registered: readonly RegisteredCredential[]): Fault[] {
  const { faults, note } = collectFaults(MAX_FAULTS);
  query.credentials.forEach((credential, index) => {
    noteFaults(credential, registered, below(note, `dcql_query.credentials[${index}]`));
  });
  return faults;
}
