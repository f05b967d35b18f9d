import { randomBytes } from 'node:crypto';
import { contextTerms, type ClaimsSchema } from '@vestibule/claims-schema';
import type { JsonObject } from '@vestibule/foundation';
import { createDidKey } from '@vestibule/vcdm';
import { isOwnContext, SCHEMA_CONTEXT, temporaryVocabulary } from './own-contexts';

const BASE = 'https://connector.example';
const [one, other] = [createDidKey(randomBytes).did, createDidKey(randomBytes).did];
const schema = { fields: [{ kind: 'STRING', value: { name: 'given_name' } }] } as unknown as ClaimsSchema;
const contextOf = (did: string, baseUrl = BASE) =>
  contextTerms(schema, { vocabulary: temporaryVocabulary(baseUrl, did), slug: 'badge' });
const isOwn = isOwnContext(BASE);

describe('the context of a temporary schema', () => {
  it('is known in the credential of its draft only', () => {
    expect(isOwn(contextOf(one), one)).toBe(true);
    expect(isOwn(contextOf(one), other)).toBe(false);
    expect(isOwn(contextOf(one, 'https://other.example'), one)).toBe(false);
    expect(isOwn(contextOf(one), 'urn:uuid:5f2b6c1e-9f6b-4c53-8f3e-0d7c5a0f5f11')).toBe(false);
  });

  it('is not known with a did that no draft has', () => {
    for (const did of ['did:example:x', 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', '', 'x']) {
      expect(isOwn(contextOf(did), did)).toBe(false);
    }
  });

  it('is not known with anything else in it', () => {
    expect(isOwn({ ...contextOf(one), fake: '@index' }, one)).toBe(false);
    expect(isOwn({ ...contextOf(one), '@vocab': temporaryVocabulary(BASE, one) }, one)).toBe(false);
  });
});

describe('the context of the document of a published schema', () => {
  const address = `${BASE}/schemas/4f0b3a52-6a3a-4a8e-9d0c-0d3f0f3d2a11/badge/1`;
  it('is known in such a document only, byte for byte', () => {
    expect(isOwn(SCHEMA_CONTEXT, address)).toBe(true);
    for (const id of [one, `${address}/context`, 'https://other.example/schemas/x/badge/1', BASE]) {
      expect(isOwn(SCHEMA_CONTEXT, id)).toBe(false);
    }
    const changed: JsonObject[] = [{}, { ...SCHEMA_CONTEXT, fake: '@index' }, { metaSchema: '@json' }];
    for (const context of changed) expect(isOwn(context, address)).toBe(false);
  });
});
