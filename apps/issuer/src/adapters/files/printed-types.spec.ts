import { printedJson } from '@vestibule/testkit';
import { withFolder } from '../../testing/issuer-key.fixture-spec';
import { ISSUER_URL } from '../../testing/issuer.fixture-spec';
import { readTypeMetadataFolder } from './type-metadata-folder';

const CARD = JSON.stringify({ claims: [{ path: ['given_name'] }] });
const JWT = ['{"alg":"ES256","typ":"rc-rp+jwt"}', '{}', 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');
const NAMES = ['identity-card', 'membership', 'pid'];

const namesOf = (files: Readonly<Record<string, string>>): readonly string[] =>
  withFolder(files, (folder) => [...readTypeMetadataFolder(folder, ISSUER_URL).types.keys()].sort());

describe('the samples of docs/issuer-operations.md', () => {
  const samples = printedJson('issuer-operations.md');

  it('have a document that is a type', () => {
    const [document = ''] = samples.filter((sample) => sample.includes('"claims"'));
    expect(namesOf({ 'bank-customer.json': document })).toEqual(['bank-customer']);
  });

  it('have options of types, with a JWT in the place of its own', () => {
    const options = samples.filter((sample) => sample.includes('"types"'));
    expect(options).toHaveLength(4);
    for (const sample of options) {
      const written = sample.replaceAll('<the registration certificate, a JWT>', JWT);
      const named = NAMES.filter((name) => written.includes(`"${name}"`));
      const documents = Object.fromEntries(named.map((name) => [`${name}.json`, CARD]));
      expect(namesOf({ ...documents, 'issuance.json': written })).toEqual(named);
    }
  });
});
