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

describe('the size of a status list token', () => {
  it('VP:O4 may be 4 MiB, and no more', () => {
    const [head, payload] = signCompactJws(header, claims, privateKey).split('.');
    const start = `${head}.${payload}.`;
    // Whole groups of four characters, so that all that is wrong with the longer one is its length.
    const signature = 'A'.repeat(4 * Math.floor((4_194_304 - start.length) / 4));
    expect(parseStatusListToken(start + signature).uri).toBe(claims.sub);
    const longer = () => parseStatusListToken(`${start}${signature}AAAA`);
    expect(longer).toThrow(expect.objectContaining({ code: 'status_token_malformed' }));
  });
});

it.each([1, 2, 4, 8])('VP:O9 entries may have %d bits', (bits) => {
  const { lst } = claims.status_list;
  const text = signCompactJws(header, { ...claims, status_list: { bits, lst } }, privateKey);
  expect(parseStatusListToken(text).bits).toBe(bits);
});
