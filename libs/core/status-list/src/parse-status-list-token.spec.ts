import { generateKeyPairSync } from 'node:crypto';
import { signCompactJws } from '@vestibule/crypto';
import type { JsonValue } from '@vestibule/foundation';
import { parseStatusListToken } from './index';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const header = { typ: 'statuslist+jwt', x5c: ['MIIB'] };
const claims = {
  sub: 'https://issuer.example/lists/1',
  iat: 1_780_315_200,
  status_list: { bits: 1, lst: 'eNpjAAAAAQAB' },
};

describe('the audience of a status list token', () => {
  it.each<[JsonValue]>([['x509_hash:somebody'], [['https://verifier.example']], [''], [[]], [null]])(
    'is everybody, so that aud %j is refused',
    (aud) => {
      expect(parseStatusListToken(signCompactJws(header, claims, privateKey)).uri).toBe(claims.sub);
      const named = signCompactJws(header, { ...claims, aud }, privateKey);
      expect(() => parseStatusListToken(named)).toThrow(expect.objectContaining({ code: 'status_token_audience' }));
    },
  );
});

describe('the times of a status list token', () => {
  it.each(['iat', 'nbf', 'exp'])('are in seconds: an %s in milliseconds is refused', (name) => {
    const inMilliseconds = signCompactJws(header, { ...claims, [name]: claims.iat * 1_000 }, privateKey);
    const refused = expect.objectContaining({ code: 'status_token_claims_malformed' });
    expect(() => parseStatusListToken(inMilliseconds)).toThrow(refused);
  });
});
