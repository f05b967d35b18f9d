import fc from 'fast-check';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Name } from '@peculiar/asn1-x509';
import { parseSubject } from './parse-subject';
import { subjectText } from './subject-text';

/** The subject as a certificate would show it, from its DER. */
const shown = (text: string) => subjectText(AsnConvert.parse(AsnConvert.serialize(parseSubject(text)), Name));
const fault = (text: string): string => {
  try {
    return `accepted: ${shown(text)}`;
  } catch (error) {
    const { code, detail } = error as { readonly code: string; readonly detail: string };
    expect(code).toBe('command_invalid');
    return detail;
  }
};

describe('a subject on the command line', () => {
  it.each([
    ['CN=Shop', 'CN=Shop'],
    ['cn = Shop ,O=Shop SE,  c=DE  ', 'CN=Shop, O=Shop SE, C=DE'],
    ['C=DE, O=Shop, CN=Desk', 'C=DE, O=Shop, CN=Desk'],
    [
      'O=Shop\\, Inc., organizationIdentifier=VATDE-123456789',
      'O=Shop\\, Inc., organizationIdentifier=VATDE-123456789',
    ],
    ['O=A \\+ B \\"C\\" \\\\ \\; \\< \\>\\=', 'O=A \\+ B \\"C\\" \\\\ \\; \\< \\>='],
    ['O=a=b', 'O=a=b'],
    ['O=\\ a\\ ', 'O=\\ a\\ '],
    ['O=a\\\\ ', 'O=a\\\\'],
    ['O=\\#1', 'O=\\#1'],
    ['O=M\\C3\\BCller, L=Köln', 'O=Müller, L=Köln'],
    ['OU=a, OU=b, DC=shop, DC=example', 'OU=a, OU=b, DC=shop, DC=example'],
    ['O=Smile 🙂', 'O=Smile 🙂'],
  ])('%s is read as it is meant', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['', /part 1 must be NAME=value/],
    ['Shop', /part 1 must be NAME=value/],
    ['CN=Shop,', /part 2 must be NAME=value/],
    ['CN=Shop, Inc.', /part 2 must be NAME=value/],
    ['1.2.3.4=x', /part 1 must be NAME=value/],
    ['__proto__=x', /part 1 must be NAME=value/],
    ['CN=', /CN is empty/],
    ['CN=   ', /CN is empty/],
    ['CN=a, CN=b', /CN is there twice/],
    ['CN=a, cn=b', /CN is there twice/],
    ['CN=a+O=b', /needs a \\ before/],
    ['CN="a"', /needs a \\ before/],
    ['CN=a\\', /before a character that needs none/],
    ['CN=a\\x', /before a character that needs none/],
    ['CN=#0C0161', /begins with #/],
    ['CN=\\C3', /is not UTF-8/],
    ['CN=\\ED\\A0\\80', /is not UTF-8/],
    ['CN=a\\00b', /cannot be seen/],
    ['CN=a\nO=b', /cannot be seen/],
    ['CN=a\u202eb', /cannot be seen/],
    ['CN=a\\EF\\BB\\BF', /cannot be seen/],
    ['CN=a\ufffd', /not UTF-8/],
    ['CN=\ud800', /not UTF-8/],
    ['C=Germany', /two capital letters/],
    ['C=de', /two capital letters/],
    ['serialNumber=ä', /PrintableString/],
    ['emailAddress=ä@shop.example', /other than ASCII/],
    [`CN=${'a'.repeat(65)}`, /more than 64 characters/],
    [`organizationIdentifier=${'a'.repeat(257)}`, /more than 256 characters/],
    [Array.from({ length: 21 }, () => 'OU=a').join(), /more than 20 parts/],
    ['a'.repeat(4_097), /more than 4096 characters/],
  ])('%j is refused with the reason', (text, reason) => {
    expect(fault(text)).toMatch(reason);
  });

  it('a refusal holds nothing of a value', () => {
    for (const text of ['C=canary', 'CN=canary"', 'canary', 'CN=canary, CN=canary'])
      expect(fault(text)).not.toMatch(/canary/);
  });

  it('whatever a name holds, it comes back as it was escaped, or is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
        const text = `O=${[...Buffer.from(value, 'utf8')].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')}`;
        const read = (() => {
          try {
            return parseSubject(text)[0]?.[0]?.value.toString();
          } catch {
            return undefined;
          }
        })();
        return read === undefined
          ? value === '' || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\uFFFD]/u.test(value)
          : read === value;
      }),
    );
  });

  it('no text does more than be refused', () => {
    const pieces = fc.constantFrom('CN', 'O', '=', ',', '\\', '"', '+', '#', ' ', '\\2C', 'é', '\0', '🙂');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        expect(typeof fault(parts.join(''))).toBe('string');
      }),
    );
  });
});
