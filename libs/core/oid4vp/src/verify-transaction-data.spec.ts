import { createHash } from 'node:crypto';
import type { JsonObject } from '@vestibule/foundation';
import { parseTransactionData, verifyVpToken, type ScaRules, type TransactionDatum } from './index';
import {
  createStage,
  expectationOf,
  failsWith,
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

const query = queryOf({
  credentials: [pidQuery(), pidQuery({ id: 'second' }), pidQuery({ id: 'many', multiple: true })],
  credential_sets: [{ options: [['pid', 'second'], ['pid'], ['many']] }],
});
const targets = query.credentials.map(({ id, holderBinding }) => ({ id, holderBinding }));

const rules: ScaRules = { types: new Map(), now: new Date() };

function datum(credentialIds: string[], more: JsonObject = {}): TransactionDatum {
  const { data, faults } = parseTransactionData(
    [{ type: 'pay', credential_ids: credentialIds, ...more }],
    targets,
    rules,
  );
  expect(faults).toEqual([]);
  return data[0] as TransactionDatum;
}

/** A presentation whose key binding confirms the given transaction data; none leaves the claim out. */
const confirming = (...data: TransactionDatum[]) =>
  present(
    stage,
    {},
    data.length > 0 ? { claims: { transaction_data_hashes: data.map((one) => sha256(one.encoded)) } } : {},
  );

const verify = (vpToken: JsonObject, data: readonly TransactionDatum[]) => {
  const expected = expectationOf(stage, { query });
  const verified = verifyVpToken(vpToken, data, expected).presentations;
  return { verified, checks: expected.checks.entries.map(({ check }) => check) };
};
const expectFailure = (vpToken: JsonObject, data: readonly TransactionDatum[], [check, code]: [string, string]) => {
  const expected = expectationOf(stage, { query });
  expect(() => verifyVpToken(vpToken, data, expected)).toThrow(failsWith(code));
  expect(expected.checks.entries.at(-1)).toMatchObject({ check, outcome: 'failed', code });
};

describe('transaction data for one credential', () => {
  const forPid = () => datum(['pid']);

  it('VP:F6 passes when it is confirmed, and the hashes are reported', async () => {
    const { verified, checks } = verify({ pid: [await confirming(forPid())] }, [forPid()]);
    expect(verified[0]?.holder?.transactionDataHashes).toEqual([sha256(forPid().encoded)]);
    expect(checks).toContain('transaction_data');
  });

  it('VP:F6 fails when it is not (sd:neg-td-missing)', async () =>
    expectFailure({ pid: [await confirming()] }, [forPid()], ['key_binding', 'transaction_data_missing']));

  it('VP:F6 fails when another is (sd:neg-td-wrong)', async () => {
    const other = await confirming(datum(['pid'], { amount: '1000' }));
    expectFailure({ pid: [other] }, [forPid()], ['key_binding', 'transaction_data_mismatch']);
  });

  it('VP:F5 fails when the hash is over the decoded bytes (sd:neg-td-hash-over-decoded)', async () => {
    const decoded = Buffer.from(forPid().encoded, 'base64url').toString();
    const text = await present(stage, {}, { claims: { transaction_data_hashes: [sha256(decoded)] } });
    expectFailure({ pid: [text] }, [forPid()], ['key_binding', 'transaction_data_mismatch']);
  });

  it('VP:F9 fails when there is a hash too many (sd:neg-td-extra-hash)', async () => {
    const text = await confirming(forPid(), datum(['pid'], { amount: '1000' }));
    expectFailure({ pid: [text] }, [forPid()], ['key_binding', 'transaction_data_unexpected']);
  });

  it('VP:F6 VP:F8 fails when the credential that it names is not there at all', async () =>
    expectFailure({ many: [await confirming()] }, [forPid()], ['transaction_data', 'transaction_data_unanswered']));

  it('VP:F6 demands one hash for each of two objects', async () => {
    const [one, two] = [forPid(), datum(['pid'], { amount: '1000' })];
    expect(verify({ pid: [await confirming(two, one)] }, [one, two]).verified).toHaveLength(1);
    expectFailure({ pid: [await confirming(one)] }, [one, two], ['key_binding', 'transaction_data_mismatch']);
  });

  it('VP:F7 demands the name of an algorithm that was offered', async () => {
    const data = datum(['pid'], { transaction_data_hashes_alg: ['sha-512', 'sha-256'] });
    const sha512 = createHash('sha512').update(data.encoded).digest('base64url');
    const present512 = (transaction_data_hashes_alg?: string) =>
      present(stage, {}, { claims: { transaction_data_hashes: [sha512], transaction_data_hashes_alg } });
    expect(verify({ pid: [await present512('sha-512')] }, [data]).verified).toHaveLength(1);
    expectFailure({ pid: [await confirming(data)] }, [data], ['key_binding', 'transaction_data_algorithm']);
    expectFailure({ pid: [await present512('sha-384')] }, [data], ['key_binding', 'transaction_data_algorithm']);
    expectFailure(
      { pid: [await present512('sha-512')] },
      [datum(['pid'])],
      ['key_binding', 'transaction_data_algorithm'],
    );
  });
});

describe('transaction data that several credentials may confirm', () => {
  const shared = () => datum(['pid', 'second']);

  it('VP:F8 passes when exactly one of them does, whichever it is', async () => {
    const [bare, confirmed] = [await confirming(), await confirming(shared())];
    expect(verify({ pid: [bare], second: [confirmed] }, [shared()]).verified).toHaveLength(2);
    expect(verify({ pid: [confirmed], second: [bare] }, [shared()]).verified).toHaveLength(2);
    expect(verify({ pid: [confirmed] }, [shared()]).verified).toHaveLength(1);
  });

  it('VP:F8 fails when none of them does', async () => {
    const vpToken = { pid: [await confirming()], second: [await confirming()] };
    expectFailure(vpToken, [shared()], ['transaction_data', 'transaction_data_unanswered']);
  });

  it('VP:F8 fails when both of them do', async () => {
    const vpToken = { pid: [await confirming(shared())], second: [await confirming(shared())] };
    expectFailure(vpToken, [shared()], ['transaction_data', 'transaction_data_unanswered']);
  });

  it('VP:F8 is counted for each object on its own', async () => {
    const [one, two] = [shared(), datum(['second', 'pid'], { amount: '1000' })];
    const [first, second] = [await confirming(one), await confirming(two)];
    expect(verify({ pid: [first], second: [second] }, [one, two]).verified).toHaveLength(2);
    const twice = { pid: [first], second: [await confirming(one)] };
    expectFailure(twice, [one, two], ['transaction_data', 'transaction_data_unanswered']);
  });

  it('VP:F8 fails when only one of two objects is confirmed', async () => {
    const [one, two] = [shared(), datum(['second', 'pid'], { amount: '1000' })];
    const [first, bare, both] = [await confirming(one), await confirming(), await confirming(one, two)];
    const failure = ['transaction_data', 'transaction_data_unanswered'] as [string, string];
    for (const data of [
      [one, two],
      [two, one],
    ]) {
      expectFailure({ pid: [first], second: [bare] }, data, failure);
      expectFailure({ pid: [first], second: [both] }, data, failure);
    }
  });

  it('VP:F8 is confirmed by exactly one of several presentations for one credential query', async () => {
    const data = datum(['many']);
    const [bare, confirmed] = [await confirming(), await confirming(data)];
    expect(verify({ many: [bare, confirmed] }, [data]).verified).toHaveLength(2);
    expectFailure({ many: [bare, bare] }, [data], ['transaction_data', 'transaction_data_unanswered']);
    expectFailure({ many: [confirmed, confirmed] }, [data], ['transaction_data', 'transaction_data_unanswered']);
  });

  it('VP:F9 is confirmed by no credential that it does not name', async () => {
    const vpToken = { pid: [await confirming(shared())], many: [await confirming(shared())] };
    expectFailure(vpToken, [shared()], ['key_binding', 'transaction_data_unexpected']);
  });
});

describe('transaction data that needs strong customer authentication', () => {
  const sca = (datum: TransactionDatum): TransactionDatum => ({ ...datum, needsScaEvidence: true });
  const evidence = {
    jti: 'code',
    amr: [{ knowledge: 'pin' }, { possession: 'key' }],
    response_mode: 'direct_post.jwt',
  };
  const hashesOf = (data: readonly TransactionDatum[]) => data.map(({ encoded }) => sha256(encoded));
  const withEvidence = (data: readonly TransactionDatum[], change: JsonObject = {}) =>
    present(stage, {}, { claims: { transaction_data_hashes: hashesOf(data), ...evidence, ...change } });

  it('18.9 is refused where its confirmation says nothing of the user, also beside data that needs nothing', async () => {
    const [payment, other] = [sca(datum(['pid'])), datum(['pid'], { amount: '1000' })];
    for (const data of [[payment], [payment, other]]) {
      expectFailure({ pid: [await confirming(...data)] }, data, ['sca_evidence', 'sca_evidence_missing']);
    }
    const weak = await withEvidence([payment], { amr: [{ knowledge: 'pin' }] });
    expectFailure({ pid: [weak] }, [payment], ['sca_evidence', 'sca_factors_insufficient']);
  });

  it('18.9 passes with evidence, which is reported beside the key and the hashes', async () => {
    const data = [sca(datum(['pid']))];
    const { verified, checks } = verify({ pid: [await withEvidence(data)] }, data);
    const { jti, amr, response_mode: responseMode } = evidence;
    expect(verified[0]?.holder).toEqual({
      keyThumbprint: expect.stringMatching(/^[\w-]{43}$/) as string,
      transactionDataHashes: hashesOf(data),
      scaEvidence: { jti, amr, responseMode },
    });
    expect(checks).toContain('sca_evidence');
  });

  it('18.9 asks no evidence of a credential that confirms something else', async () => {
    const [payment, other] = [sca(datum(['pid', 'second'])), datum(['second', 'pid'], { amount: '1000' })];
    const vpToken = { pid: [await withEvidence([payment])], second: [await confirming(other)] };
    expect(verify(vpToken, [payment, other]).verified[1]?.holder).not.toHaveProperty('scaEvidence');
  });
});
