import { createHash } from 'node:crypto';
import { TYPE_ID, TYPES } from '../testing/issuer.fixture-spec';
import { getIssuerDocument, getTypeMetadata } from './read-documents';

describe('getIssuerDocument', () => {
  const documents = {
    'openid-credential-issuer': '{"a": 1}',
    'oauth-authorization-server': '{"b":2 }',
    'jwt-vc-issuer': '{ "c":3}',
  };

  it.each(['openid-credential-issuer', 'oauth-authorization-server', 'jwt-vc-issuer'] as const)(
    'answers %s as the text that was built',
    async (document) => {
      await expect(getIssuerDocument(documents)({ document })).resolves.toEqual({ json: documents[document] });
    },
  );
});

describe('getTypeMetadata', () => {
  it('VCI:Y1 VCI:Y3 VCI:Y7 answers the bytes that vct#integrity was made of, with the vct that credentials name', async () => {
    const { json } = await getTypeMetadata(TYPES)({ configurationId: TYPE_ID });
    const hash = createHash('sha256').update(json, 'utf8').digest('base64');
    expect(TYPES.get(TYPE_ID)?.integrity).toBe(`sha256-${hash}`);
    expect(JSON.parse(json)).toMatchObject({ vct: TYPES.get(TYPE_ID)?.vct });
  });

  it.each(['unknown', 'toString', '__proto__', ''])('does not know the type %j', async (configurationId) => {
    await expect(getTypeMetadata(TYPES)({ configurationId })).rejects.toMatchObject({
      kind: 'not_found',
      code: 'type_metadata_not_found',
    });
  });
});
