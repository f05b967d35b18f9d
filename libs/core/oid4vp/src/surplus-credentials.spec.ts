import type { JsonValue } from '@vestibule/foundation';
import { verifyVpToken, type PresentationExpectation } from './index';
import { birthdate, digests, given, names, sets, show } from './testing/disclosures.fixture-spec';
import {
  bind,
  createStage,
  expectationOf,
  failsWith,
  issue,
  pidQuery,
  present,
  queryOf,
  sha256,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

describe('VP:J16 several presentations', () => {
  const verify = async (vpToken: JsonValue, more: Partial<PresentationExpectation>) => {
    const expected = expectationOf(stage, more);
    const { presentations, delivered } = verifyVpToken(vpToken, [], expected);
    const ids = (all: typeof presentations) => all.map(({ credentialId }) => credentialId);
    const { surplusClaims, surplusCredentials } = expected.checks.entries.at(-1) ?? {};
    const counted = [surplusClaims, surplusCredentials];
    return {
      judged: ids(presentations),
      delivered: ids(delivered),
      claims: delivered.map((one) => one.deliveredClaims),
      counted,
    };
  };

  it('of one query are minimised each by itself, and counted together', async () => {
    const query = queryOf({ credentials: [pidQuery({ multiple: true, ...sets(['f'], ['g']) })] });
    const first = await show(stage, names);
    const second = await show(stage, { payload: digests(given, birthdate), disclosures: [given, birthdate] });
    expect(await verify({ pid: [first, second] }, { query })).toMatchObject({
      claims: [{ family_name: 'Lovelace' }, { given_name: 'Ada' }],
      counted: [3, undefined],
    });
  });

  const sources = [pidQuery(), pidQuery({ id: 'second' }), pidQuery({ id: 'third' })];
  const oneOf = queryOf({ credentials: sources, credential_sets: [{ options: [['pid'], ['second', 'third']] }] });

  it('that no satisfied set names are judged, counted and not delivered', async () => {
    const text = await present(stage);
    const answer = await verify({ second: [text], pid: [text] }, { query: oneOf });
    expect(answer).toMatchObject({ judged: ['second', 'pid'], delivered: ['pid'], counted: [3, 1] });
    const bad = await issue(stage);
    await expect(verify({ second: [bad], pid: [text] }, { query: oneOf })).rejects.toEqual(
      failsWith('key_binding_missing'),
    );
  });

  it('that no satisfied set names are refused or delivered where that is wanted', async () => {
    const text = await show(stage, { payload: digests(given), disclosures: [given] });
    const vpToken = { second: [text], pid: [text] };
    await expect(verify(vpToken, { query: oneOf, surplusClaims: 'refuse' })).rejects.toEqual(
      failsWith('surplus_claims'),
    );
    const answer = await verify(vpToken, { query: oneOf, surplusClaims: 'deliver' });
    expect(answer).toMatchObject({ delivered: ['second', 'pid'], counted: [undefined, 1] });
  });

  it('are all delivered where several sets are satisfied', async () => {
    const text = await show(stage, { payload: digests(given), disclosures: [given] });
    const answer = await verify(
      { pid: [text], second: [text], third: [text] },
      { query: oneOf, surplusClaims: 'refuse' },
    );
    expect(answer).toMatchObject({ delivered: ['pid', 'second', 'third'], counted: [undefined, undefined] });
  });

  it('that confirm transaction data are delivered, whatever the sets say', async () => {
    const encoded = Buffer.from('{"type":"payment","credential_ids":["second"]}').toString('base64url');
    const credential = await issue(stage);
    const confirming = bind(stage, credential, { claims: { transaction_data_hashes: [sha256(encoded)] } });
    const expected = expectationOf(stage, { query: oneOf });
    const data = [{ encoded, credentialIds: ['second'] }];
    const { delivered } = verifyVpToken({ pid: [await present(stage)], second: [confirming] }, data, expected);
    expect(delivered.map(({ credentialId, holder }) => [credentialId, holder?.transactionDataHashes])).toEqual([
      ['pid', undefined],
      ['second', [sha256(encoded)]],
    ]);
  });
});
