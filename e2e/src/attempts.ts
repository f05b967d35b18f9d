import type { Attempt, Bench } from './checklist-bench';
import {
  digestOf,
  withDisclosures,
  withHeader,
  withPayload,
  withStructure,
  type Change,
  type CredentialDraft,
  type JwtDraft,
  type Members,
} from './handmade-credential';

/** A line of a table of faults: what is wrong, how it is made, the code that its record names. */
export type FaultRow = readonly [what: string, attempt: Attempt, code: string];

/** Members to set, `undefined` to remove one; a function where they depend on the time. */
type Patch = object | (() => object);

const membersOf = (patch: Patch): Members => ({ ...(typeof patch === 'function' ? (patch as () => object)() : patch) });

/** Members of the payload to set. */
export const claims = (patch: Patch): Attempt => ({
  credential: (right) => withPayload(membersOf(patch))(right),
});

/** Members of the issuer's header to set; `undefined` removes one. */
export const header = (patch: object): Attempt => ({ credential: withHeader({ ...patch }) });

/** More disclosures, with their digests at the top level. */
export const disclosing = (...encoded: readonly string[]): Attempt => ({ credential: withDisclosures(...encoded) });

/** Members of the payload, and disclosures whose digests are in them. */
export const structure = (patch: object, ...encoded: readonly string[]): Attempt => ({
  credential: withStructure({ ...patch }, ...encoded),
});

/** More digests at the top level. */
export const digests =
  (...more: readonly unknown[]): Change<CredentialDraft> =>
  ({ payload }) => ({ payload: { ...payload, _sd: [...(payload['_sd'] as string[]), ...more] } });

/** More disclosures that are sent; the payload stays as it is. */
export const sending =
  (...encoded: readonly string[]): Change<CredentialDraft> =>
  ({ disclosures }) => ({ disclosures: [...disclosures, ...encoded] });

/** Disclosures of which only the first has its digest at the top level; the others are within it. */
export const nested = (first: string, ...within: readonly string[]): Attempt => ({
  credential: digests(digestOf(first)),
  afterwards: sending(first, ...within),
});

/** The disclosure of the right credential otherwise; its digest stays. */
export const firstDisclosure = (change: (encoded: string) => string): Attempt => ({
  credential: ({ disclosures: [first = ''] }) => ({ disclosures: [change(first)] }),
});

/** The issuer's JWT otherwise, after it was signed. */
export const signedPart = (change: (parts: readonly string[]) => readonly string[]): Attempt => ({
  sdJwt: (text) => {
    const [jwt = '', ...rest] = text.split('~');
    return [change(jwt.split('.')).join('.'), ...rest].join('~');
  },
});

/** Claims of the key binding JWT to set. */
export const bindingClaims =
  (patch: Patch): Change<JwtDraft> =>
  ({ payload }) => ({ payload: { ...(payload as Members), ...membersOf(patch) } });

/** Members of the header of the key binding JWT to set; `undefined` removes one. */
export const bindingHeader =
  (patch: Members): Change<JwtDraft> =>
  ({ header }) => ({ header: { ...header, ...patch } });

/**
 * The verdict on a single fault: VERIFICATION_FAILED, a record in which this one check failed, and a wallet that hears
 * nothing of it.
 */
export function refusing(bench: () => Bench) {
  return async (_what: string, attempt: Attempt, code: string): Promise<void> => {
    const { http, status, codes } = await bench().attempt(attempt);
    expect([status, codes, http.status]).toEqual(['VERIFICATION_FAILED', [code], 400]);
    const said = { error: 'invalid_request', error_description: 'the response was not accepted' };
    expect(JSON.parse(http.text)).toEqual(said);
  };
}
