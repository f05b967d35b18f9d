import { contexts } from '@digitalbazaar/credentials-context';
import type { JsonValue } from '@vestibule/foundation';
import { jsonLdContext, parseClaimsSchema } from './index';

const W3C = contexts.get('https://www.w3.org/ns/credentials/v2') as { '@context': Record<string, unknown> };
/** What no later context may define in another way (JSON-LD 1.1 §4.1.11). */
const PROTECTED = Object.keys(W3C['@context']).filter((name) => !name.startsWith('@'));

const claim = (name: string) => ({ kind: 'STRING', value: { name } });
const withClaim = (name: string) => ({ fields: [claim(name)] });
const within = (name: string) => ({ fields: [{ kind: 'OBJECT', value: { name: 'a', fields: [claim(name)] } }] });
const read = (schema: unknown) => parseClaimsSchema(schema as JsonValue, '');

describe('a claim whose credential could never be signed is refused when it is defined', () => {
  it.each(PROTECTED)('%s at the top, which W3C protects, unless it keeps its meaning', (name) => {
    const { parsed, faults } = read(withClaim(name));
    if (!parsed) return expect(faults.length).toBeGreaterThan(0);
    expect(jsonLdContext(parsed, { vocabulary: 'https://a.example/#', slug: undefined })).toEqual({ '@context': {} });
  });

  it.each(['aud', 'jku', 'kid', 'x5u', 'VerifiableCredential', 'JsonSchema', 'DataIntegrityProof'])(
    '%s may stand within an object, where W3C protects nothing',
    (name) => {
      expect(read(withClaim(name)).faults).toEqual([
        { path: 'fields[0].value.name', message: 'is a name that W3C credentials reserves' },
      ]);
      expect(read(within(name)).faults).toEqual([]);
    },
  );

  it('hasOwnProperty anywhere, with which the JSON-LD library cannot read a context', () => {
    expect(read(withClaim('hasOwnProperty')).faults).toHaveLength(1);
    expect(read(within('hasOwnProperty')).faults).toHaveLength(1);
  });
});
