import { issueForeignCredential, type ForeignCredential } from '../foreign-issuer';
import type { JsonObject } from '../json';
import type { Signer } from './server-callbacks';

export const PID_VCT = 'urn:eudi:pid:1';

/** A PID for a key, in which everything except the nationalities' array itself is selectively disclosable. */
export function issuePid(issuer: Signer, jwk: object, changes: Partial<ForeignCredential> = {}): Promise<string> {
  const { payload, ...rest } = changes;
  return issueForeignCredential({
    ...issuer,
    payload: {
      vct: PID_VCT,
      iat: Math.floor(Date.now() / 1000) - 100,
      cnf: { jwk },
      family_name: 'Muster',
      given_name: 'Erika',
      address: { locality: 'Berlin', street: 'Weg 1' },
      nationalities: ['DE', 'FR'],
      ...payload,
    },
    disclosureFrame: {
      _sd: ['family_name', 'given_name', 'address'],
      address: { _sd: ['locality', 'street'] },
      nationalities: { _sd: [0, 1] },
    },
    ...rest,
  });
}

/** A DCQL query for one PID. */
export const pidQuery = (claims?: unknown, more: JsonObject = {}): JsonObject => ({
  credentials: [
    { id: 'pid', format: 'dc+sd-jwt', meta: { vct_values: [PID_VCT] }, ...(claims ? { claims } : {}), ...more },
  ],
});
