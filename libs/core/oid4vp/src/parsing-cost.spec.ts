import { parseDcqlQuery, type DcqlQuery } from '@vestibule/dcql';
import { parseSdJwtVc } from '@vestibule/sd-jwt-vc';
import { fastestMilliseconds } from '@vestibule/testkit';
import { neededIssuerMetadata, verifyVpToken, type IssuerTrust } from './index';
import { createStage, expectationOf, failsWith, pidQuery, present, queryOf } from './testing/presentation.fixture-spec';

const ISSUER = 'https://issuer.example';
const encoded = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');
const HEADER = encoded(JSON.stringify({ alg: 'ES256', typ: 'dc+sd-jwt', kid: 'k' }));
const SIGNATURE = encoded(Buffer.alloc(64, 1));

/** Signed by nobody: whoever answers can make as many as they like. */
const presentation = (claims: string, disclosures: readonly string[] = []) => {
  const payload = encoded(`{"iss":"${ISSUER}","vct":"urn:example:card:1","x":${claims}}`);
  return [`${HEADER}.${payload}.${SIGNATURE}`, ...disclosures.map(encoded), ''].join('~');
};
const listOf = (count: number, value: string) => `[${Array.from({ length: count }, () => value).join()}]`;

function oneCredential(): DcqlQuery {
  const meta = { vct_values: ['urn:example:card:1'] };
  const parsed = parseDcqlQuery({ credentials: [{ id: 'card', format: 'dc+sd-jwt', multiple: true, meta }] });
  if (!parsed.ok) throw new Error('the query of the test is not valid');
  return parsed.query;
}
const query = oneCredential();
const trust = { metadataIssuers: [{ issuer: ISSUER }] } as unknown as IssuerTrust;
const need = (card: readonly string[]) => neededIssuerMetadata({ card: [...card] }, query, trust);

describe('an SD-JWT that nobody signed', () => {
  it.each<[string, string]>([
    ['objects', presentation(listOf(180_000, '{}'))],
    ['arrays', presentation(listOf(180_000, '[]'))],
    ['decimals', presentation(listOf(70_000, '1.25e-5'))],
    ['members', presentation(`{${Array.from({ length: 60_000 }, (_, at) => `"${at.toString(36)}":1`).join()}}`)],
    [
      'disclosures',
      presentation(
        '0',
        Array.from({ length: 200 }, (_, at) => `["s","n${at}",${listOf(800, '{}')}]`),
      ),
    ],
  ])('VP:G10 of as many %s as fit is refused before they are parsed', (_what, text) => {
    expect(() => parseSdJwtVc(text)).toThrow(failsWith('sd_jwt_too_large'));
    expect(fastestMilliseconds(() => expect(() => parseSdJwtVc(text)).toThrow())).toBeLessThan(50);
  });

  it('VP:G10 may hold as many as before', () => {
    expect(parseSdJwtVc(presentation(listOf(19_990, '[]'))).values).toBe(19_994);
    const disclosures = Array.from({ length: 100 }, (_, at) => `["s","n${at}",${listOf(190, '{}')}]`);
    expect(parseSdJwtVc(presentation('0', disclosures)).values).toBe(19_104);
  });
});

describe('the issuers whose metadata an answer needs', () => {
  it.each<[string, string]>([
    ['objects', listOf(6_000, '{}')],
    ['decimals', listOf(2_300, '1.25e-5')],
  ])('VP:G10 are not looked for in more values than an answer may have: %s', (_what, claims) => {
    const card = Array.from({ length: 30 }, () => presentation(claims));
    expect(() => need(card)).toThrow(failsWith('presentations_too_large'));
    expect(fastestMilliseconds(() => expect(() => need(card)).toThrow())).toBeLessThan(150);
  });

  it('are found in an answer that is within the bounds', () => {
    expect(need([presentation(listOf(19_000, '1')), presentation(listOf(19_000, '{}'))])).toEqual([
      { issuer: ISSUER, kids: ['k'] },
    ]);
  });

  it('are none where a credential cannot be parsed, which verification tells', () => {
    expect(need(['x~', presentation('1')])).toEqual([]);
    expect(need([presentation(listOf(30_000, '1'))])).toEqual([]);
  });
});

it('VP:G10 an answer whose credentials hold too many values together fails, although each of them is small enough', async () => {
  const stage = await createStage();
  const large = { given_name: 'Erika', list: Array.from({ length: 17_000 }, () => 1) };
  const pid = await Promise.all(Array.from({ length: 3 }, () => present(stage, { claims: large })));
  const expected = expectationOf(stage, { query: queryOf({ credentials: [pidQuery({ multiple: true })] }) });
  expect(verifyVpToken({ pid: pid.slice(1) }, [], expected).presentations).toHaveLength(2);
  expect(() => verifyVpToken({ pid }, [], expected)).toThrow(failsWith('presentations_too_large'));
  expect(expected.checks.entries.at(-1)).toMatchObject({ check: 'vp_token', outcome: 'failed' });
});
