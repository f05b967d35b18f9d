import type { KeyPair } from '@digitalbazaar/ecdsa-multikey';
import fc from 'fast-check';
import { parseInstant } from './documents';
import { verifying } from './testing/knowing.fixture-spec';
import { CREDENTIALS, issueAsStranger, strangersKey } from './testing/stranger.fixture-spec';
import { verifyCredential } from './verify-documents';

const code = (expected: string) => expect.objectContaining({ code: expected });

let key: KeyPair;
beforeAll(async () => {
  key = await strangersKey();
});

const issuedWith = (times: Record<string, string>) =>
  issueAsStranger(key, {
    '@context': [CREDENTIALS],
    type: ['VerifiableCredential'],
    ...times,
    credentialSubject: { id: 'did:example:a' },
  });

describe('an instant', () => {
  it.each([
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-02-31T23:59:59Z',
    '2026-04-31T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-02-30T00:00:00+14:00',
    '2026-03-01T00:00:00+14:01',
    '2026-03-01T00:00:00-23:59',
    '2026-03-01T24:00:01Z',
    '2026-03-01T12:00:60Z',
    '2026-13-01T00:00:00Z',
  ])('is none where the calendar has no such day, or XML Schema no such time: %s', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it.each([
    ['2024-02-29T23:59:59Z', '2024-02-29T23:59:59.000Z'],
    ['2000-02-29T00:00:00+14:00', '2000-02-28T10:00:00.000Z'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00.5-13:59', '2026-03-01T13:59:00.500Z'],
    ['2026-03-31T00:00:00-00:00', '2026-03-31T00:00:00.000Z'],
  ])('is what the text says: %s', (text, expected) => {
    expect(parseInstant(text)?.toISOString()).toBe(expected);
  });

  it('names the day of its text, whatever the digits are', () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map((number) => String(number).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1000, max: 9999 }), two(19), two(39), (year, month, day) => {
        const date = `${year}-${month}-${day}`;
        const instant = parseInstant(`${date}T12:00:00Z`);
        if (instant) expect(instant.toISOString().slice(0, 10)).toBe(date);
      }),
    );
  });
});

describe('a credential that its issuer signed', () => {
  it.each([
    ['validUntil', '2026-02-30T12:00:00Z'],
    ['validUntil', '2027-02-29T00:00:00Z'],
    ['validFrom', '2026-02-29T00:00:00Z'],
    ['validFrom', '2026-02-28T00:00:00+23:00'],
  ])('is malformed where its %s is the day %s, which nobody ever sees', async (name, text) => {
    const document = await issuedWith({ [name]: text });
    await expect(verifyCredential(document, verifying)).rejects.toEqual(code('vc_malformed'));
  });

  it('verifies where its days are those of the calendar', async () => {
    const document = await issuedWith({ validFrom: '2024-02-29T00:00:00Z', validUntil: '2028-02-29T24:00:00Z' });
    await verifyCredential(document, verifying);
  });
});
