import { compactDecrypt } from 'jose';
import type { Holder } from '../src/handmade-credential';
import { encryptRequest, type RawAnswer, type RequestChange, type RequestKey } from '../src/issuance-bench';
import type { Secrecy } from './offer-state';

type Members = Record<string, unknown>;

const KEY_ID = 'inbox';

/** How an answer is to be encrypted (OpenID4VCI 1.0 §8.2). */
const askedOf = ({ jwk }: Holder) => ({
  credential_response_encryption: { jwk: { ...jwk, alg: 'ECDH-ES', kid: KEY_ID }, enc: 'A256GCM' },
});

/** A body, and how it is sent. */
export async function seal(
  key: RequestKey,
  inbox: Holder,
  secrecy: Secrecy,
  body: object,
): Promise<readonly [body: object, change?: RequestChange]> {
  const whole = secrecy === 'both' || secrecy === 'answer' ? { ...body, ...askedOf(inbox) } : body;
  if (secrecy === 'none' || secrecy === 'answer') return [whole];
  const jwe = await encryptRequest(key, whole);
  return [
    whole,
    ({ headers }) => ({
      body: jwe,
      headers: headers.map(([name, value]) => [name, name === 'content-type' ? 'application/jwt' : value] as const),
    }),
  ];
}

/** An answer as plain text: what says that something went wrong is never encrypted, all else as it was asked for. */
export async function openAnswer(answer: RawAnswer, inbox: Holder, secrecy: Secrecy): Promise<RawAnswer> {
  const isEncrypted = answer.headers['content-type']?.startsWith('application/jwt') === true;
  const isGood = answer.status === 200 || answer.status === 202;
  expect([answer.status, isEncrypted]).toEqual([answer.status, isGood && secrecy === 'both']);
  if (!isEncrypted) return answer;
  const { plaintext, protectedHeader } = await compactDecrypt(answer.text, inbox.key);
  expect(protectedHeader.kid).toBe(KEY_ID);
  const text = Buffer.from(plaintext).toString('utf8');
  return { ...answer, text, json: JSON.parse(text) as Members };
}
