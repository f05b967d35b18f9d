import { hostileUrls } from '@vestibule/testkit';
import { draftCreateBody, previousDraftCreateBody } from './index';

const pathsOf = (schema: typeof draftCreateBody | typeof previousDraftCreateBody, data: object) =>
  schema.safeParse({ data }).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('the URLs of a draft', () => {
  it.each(['https://schemas.example/a/1', 'http://127.0.0.1:8080/schemas/a', 'https://v.example'])(
    '%s is accepted in every place',
    (url) => {
      const data = { meta_schema: url, json_ld_vocabs: [url], vcdm_json_schemas: [url] };
      expect(pathsOf(draftCreateBody, data)).toEqual([]);
      expect(pathsOf(previousDraftCreateBody, { schema: url })).toEqual([]);
    },
  );

  it.each([...hostileUrls('schemas.example'), ['another scheme', 'urn:a:b'], ['none', 'x']] as const)(
    'with %s are refused by their places',
    (_what, url) => {
      const data = { meta_schema: url, json_ld_vocabs: ['https://v.example/', url], vcdm_json_schemas: [url] };
      const expected = ['data.meta_schema', 'data.json_ld_vocabs.1', 'data.vcdm_json_schemas.0'];
      expect(pathsOf(draftCreateBody, data)).toEqual(expected);
      expect(pathsOf(previousDraftCreateBody, { schema: url })).toEqual(['data.schema']);
    },
  );
});
