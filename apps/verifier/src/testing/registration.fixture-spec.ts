import { encodeBase64url, type JsonObject } from '@vestibule/foundation';
import type { Registration } from '../domain/registration';
import { VCT } from './verifier.fixture-spec';

const part = (value: JsonObject) => encodeBase64url(Buffer.from(JSON.stringify(value)));

/** A registration certificate for one claim of the PID, with `claims`; nobody signed it. */
export function registrationJwt(claims: JsonObject = {}): string {
  const credentials = [{ format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claim: [{ path: ['given_name'] }] }];
  const header = { typ: 'rc-wrp+jwt', alg: 'ES256', x5c: ['AA=='] };
  return `${part(header)}.${part({ credentials, ...claims })}.c2ln`;
}

/** A registration of one claim of the PID. */
export function registration(more: Partial<Registration> = {}): Registration {
  return {
    id: 'login',
    intendedUseId: undefined,
    verifierInfo: [{ format: 'registration_cert', data: registrationJwt() }],
    credentials: [{ format: 'dc+sd-jwt', vctValues: [VCT], paths: [['given_name']] }],
    expiresAt: undefined,
    ...more,
  };
}
