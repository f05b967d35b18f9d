import fc from 'fast-check';
import { parseTypeMetadata, TypeMetadataError } from './index';
import { fastestMilliseconds } from '@vestibule/testkit';

const issuerUrl = 'https://c.example.com';
const context = { configurationId: 'x', servedAt: `${issuerUrl}/oidc4vci/types/x`, issuerUrl };

function expectDocumentOrTypedError(bytes: Uint8Array): void {
  try {
    const { bytes: served, vct } = parseTypeMetadata(bytes, context);
    expect(JSON.parse(Buffer.from(served).toString('utf8'))).toHaveProperty('vct', vct);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeMetadataError);
  }
}

describe('parseTypeMetadata on anything', () => {
  const part = fc.oneof(fc.string({ maxLength: 3 }), fc.constant(null), fc.integer({ min: -1, max: 3 }));
  const claim = fc.record(
    {
      path: fc.oneof(fc.array(part, { maxLength: 3 }), fc.jsonValue()),
      sd: fc.oneof(fc.constantFrom('always', 'never'), fc.jsonValue()),
      mandatory: fc.jsonValue(),
      svg_id: fc.jsonValue(),
      display: fc.oneof(fc.array(fc.record({ lang: fc.string(), label: fc.string() })), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const document = fc.record(
    {
      vct: fc.jsonValue(),
      extends: fc.jsonValue(),
      display: fc.oneof(fc.array(fc.record({ locale: fc.string(), rendering: fc.jsonValue() })), fc.jsonValue()),
      claims: fc.oneof(fc.array(claim), fc.jsonValue()),
      more: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );

  it('VCI:Y5 VCI:Y7 gives a document that can be served, or a typed error', () => {
    fc.assert(fc.property(fc.uint8Array(), expectDocumentOrTypedError));
    fc.assert(fc.property(fc.json(), (text) => expectDocumentOrTypedError(Buffer.from(text))));
    fc.assert(fc.property(document, (value) => expectDocumentOrTypedError(Buffer.from(JSON.stringify(value)))));
    const bare = document.map((value) => Buffer.from(JSON.stringify({ ...value, vct: undefined }, undefined, 1)));
    fc.assert(fc.property(bare, expectDocumentOrTypedError));
  });

  it('VCI:Y5 answers 100 KB at once', () => {
    const faulty = Buffer.from(JSON.stringify({ claims: Array(8_000).fill({ path: [] }) }));
    const large = Buffer.from(
      JSON.stringify({ claims: Array.from({ length: 5_000 }, (_, at) => ({ path: [`c${at}`] })) }),
    );
    for (const bytes of [Buffer.from('['.repeat(100_000)), faulty, large]) {
      expect(fastestMilliseconds(() => expectDocumentOrTypedError(bytes))).toBeLessThan(50);
    }
  });
});
