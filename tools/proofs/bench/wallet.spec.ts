import { cutPresentation } from './wallet';
import { sha256 } from './wallet-crypto';
import { codeIn } from './wallet-http';

const disclosure = (...content: readonly unknown[]) => Buffer.from(JSON.stringify(content)).toString('base64url');

describe('a cut presentation', () => {
  const [given, family] = [disclosure('s1', 'given_name', 'Ada'), disclosure('s2', 'family_name', 'Example')];

  it('keeps the disclosure that is asked for and no other, with the hash of what is left', () => {
    const { sdJwt, sdHash } = cutPresentation(`a.b.c~${given}~${family}~`);
    expect(sdJwt).toBe(`a.b.c~${family}~`);
    expect(sdHash).toBe(sha256(sdJwt));
  });

  it('cannot be cut from a credential without the claim', () => {
    expect(() => cutPresentation(`a.b.c~${given}~`)).toThrow('credential: no_disclosure_of_family_name');
  });
});

describe('the code of a refusal', () => {
  it.each([
    ['{"error":"invalid_grant","error_description":"no such code"}', ' invalid_grant'],
    ['{"code":"rate_limited","title":"Too many"}', ' rate_limited'],
    ['{"error":"no code but a sentence with a name in it"}', ''],
    ['{"error":{"a":1}}', ''],
    ['<html>', ''],
    ['', ''],
  ])('of %s is all that is kept', (body, code) => {
    expect(codeIn(body)).toBe(code);
  });
});
