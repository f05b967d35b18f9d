import type { IssuanceFaults, RedeemOptions } from '@vestibule/demo-wallet';
import type { Outcome } from './report';

/** One way in which a wallet redeems an offer. */
export interface IssuanceCase {
  readonly name: string;
  /** One sentence: what the wallet does. */
  readonly about: string;
  /** What a correct issuer makes of it. */
  readonly expected: Outcome;
  /** Does not redeem at all, redeems a second time, or only after a while. */
  readonly timing?: 'never' | 'twice' | 'slow';
  readonly options: (txCode: string | undefined) => RedeemOptions;
}

type Row = Omit<IssuanceCase, 'expected' | 'options'> & Partial<IssuanceCase>;

const right = (txCode: string | undefined): RedeemOptions => (txCode === undefined ? {} : { txCode });

const define = (row: Row): IssuanceCase => ({ expected: 'refused', options: right, ...row });

const faulty = (name: string, about: string, faults: IssuanceFaults): IssuanceCase =>
  define({ name, about, options: (txCode) => ({ ...right(txCode), faults }) });

/** Another code of the same length and kind. */
const wrongCode = (code = '000000'): string => {
  const last = code.at(-1) ?? '0';
  return `${code.slice(0, -1)}${last === '1' ? '2' : '1'}`;
};

/** What a wallet can do with an offer; the first is what it should do. */
export const ISSUANCE_CASES: readonly IssuanceCase[] = [
  define({ name: 'accept', about: 'redeems the offer and stores the credential', expected: 'accepted' }),
  define({ name: 'decline', about: 'does not redeem the offer', expected: 'stopped', timing: 'never' }),
  define({
    name: 'wrong-tx-code',
    about: 'sends a wrong transaction code',
    options: (code) => ({ txCode: wrongCode(code) }),
  }),
  define({
    name: 'no-tx-code',
    about: 'sends no transaction code',
    options: (txCode) => ({ ...right(txCode), faults: { tokenRequest: (form) => form.delete('tx_code') } }),
  }),
  define({ name: 'twice', about: 'redeems the same offer a second time', timing: 'twice' }),
  faulty('no-dpop', 'uses its access token without proving its key', { credentialDpop: 'none' }),
  faulty('stolen-token', 'uses the access token with another key', { credentialDpop: 'other_key' }),
  faulty('wrong-nonce', 'proves the key of the credential with a nonce of its own', { nonce: 'a-nonce-of-its-own' }),
  faulty('wrong-audience', 'proves the key of the credential to another issuer', {
    proof: { payload: { aud: 'https://elsewhere.example' } },
  }),
  faulty('tampered-proof', 'changes the signature of the key proof', { proof: { tamperSignature: true } }),
  faulty('stolen-key', 'asks for a credential for a key that it does not have', { proof: { signWithOtherKey: true } }),
  define({
    name: 'discard',
    about: 'reports that it could not store the credential',
    expected: 'accepted',
    options: (code) => ({ ...right(code), notify: 'credential_failure' }),
  }),
  define({ name: 'slow', about: 'redeems the offer after a while', expected: 'accepted', timing: 'slow' }),
];
