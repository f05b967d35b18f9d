import type { JsonObject, JsonValue } from '@vestibule/foundation';
import { bind, issue, sha256, type Stage } from './presentation.fixture-spec';

/** Presentations whose payload and disclosures are put together by hand. */
export const disclose = (...content: JsonValue[]) =>
  Buffer.from(JSON.stringify([`salt of ${JSON.stringify(content)}`, ...content])).toString('base64url');
export const element = (encoded: string) => ({ '...': sha256(encoded) });
export const digests = (...encoded: string[]) => ({ _sd: encoded.map(sha256) });

export interface Shown {
  readonly payload: JsonObject;
  readonly disclosures: readonly string[];
}

/** A presentation of a credential with nothing but this payload and these disclosures. */
export async function show(stage: Stage, { payload, disclosures }: Shown): Promise<string> {
  const [jwt = ''] = (await issue(stage, { claims: {}, payload: { sub: undefined, ...payload } })).split('~');
  return bind(stage, [jwt, ...disclosures, ''].join('~'));
}

export const [family, given, birthdate] = [
  disclose('family_name', 'Lovelace'),
  disclose('given_name', 'Ada'),
  disclose('birthdate', '1815-12-10'),
];
export const names: Shown = { payload: digests(family, given, birthdate), disclosures: [family, given, birthdate] };

/** Claims with these combinations of family name, given name, birthdate and a claim that nothing has. */
export const sets = (...claim_sets: string[][]): JsonObject => ({
  claims: [
    { id: 'f', path: ['family_name'] },
    { id: 'g', path: ['given_name'] },
    { id: 'b', path: ['birthdate'] },
    { id: 'x', path: ['absent'] },
  ],
  claim_sets,
});
