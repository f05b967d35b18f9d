import { bindingClaims } from './attempts';
import { cardQuery, createBench, joinBench, type Attempt, type Bench } from './checklist-bench';
import { digestOf, type Members } from './handmade-credential';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const payment = (payload: Members = {}): Members => ({
  type: 'urn:eudi:sca:payment:1',
  credential_ids: ['card'],
  transaction_data_hashes_alg: ['sha-256'],
  payload: {
    transaction_id: '8D8AC610-566D-4EF0-9C22-186B2A5ED793',
    payee: { name: 'Shop Ltd', id: 'GB33BUKB20201555555555' },
    currency: 'EUR',
    amount: 12.5,
    ...payload,
  },
});
const evidence = {
  jti: 'deeec2b0-3bea-4477-bd5d-e3462a709481',
  amr: [{ knowledge: 'pin_6_or_more_digits' }, { possession: 'key_in_remote_wscd' }],
  response_mode: 'direct_post.jwt',
};

/** A wallet confirms what it was sent, with these claims beside the hashes. */
const confirming = (data: Members, claims: Members): Attempt => ({
  ask: { transaction_data: [data] },
  vpToken: ({ request, show }) => {
    const hashes = (request.claims['transaction_data'] as string[]).map((text) => digestOf(text));
    const confirmed = { transaction_data_hashes: hashes, transaction_data_hashes_alg: 'sha-256', ...claims };
    return { card: [show({ binding: bindingClaims(confirmed) })] };
  },
});

async function credentialOf(state: string, at = bench): Promise<Members> {
  const { credentials } = (await at.eventOf(state)) as { credentials: Record<string, Members[]> };
  return credentials['card']?.[0] ?? {};
}

describe('18.9 a payment (TS12)', () => {
  it('18.9 that the user confirmed with two factors is FULFILLED, and the backend gets its authentication code', async () => {
    const ending = await bench.attempt(confirming(payment(), evidence));
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
    const { jti, amr, responseMode } = await credentialOf(ending.state);
    expect({ jti, amr, responseMode }).toEqual({
      jti: evidence.jti,
      amr: evidence.amr,
      responseMode: evidence.response_mode,
    });
  });

  it.each<readonly [string, Members, string]>([
    ['without evidence', {}, 'sca_evidence_missing'],
    ['without its code', { ...evidence, jti: undefined }, 'sca_evidence_missing'],
    ['with one factor', { ...evidence, amr: evidence.amr.slice(1) }, 'sca_factors_insufficient'],
    [
      'with one factor twice',
      { ...evidence, amr: [...evidence.amr.slice(1), { possession: 'other' }] },
      'sca_factors_insufficient',
    ],
    ['for another response mode', { ...evidence, response_mode: 'dc_api.jwt' }, 'sca_response_mode_mismatch'],
    ['with a code that is not a string', { ...evidence, jti: { a: 1 } }, 'sca_code_invalid'],
  ])('18.9 confirmed %s is never FULFILLED', async (_what, claims, code) => {
    const ending = await bench.attempt(confirming(payment(), claims));
    expect([ending.status, ending.codes]).toEqual(['VERIFICATION_FAILED', [code]]);
  });

  it('18.9 of a type that TS12 does not know needs no evidence, and none is delivered', async () => {
    const ending = await bench.attempt(confirming({ ...payment(), type: 'https://shop.example/order' }, evidence));
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
    const credential = await credentialOf(ending.state);
    for (const name of ['jti', 'amr', 'responseMode']) expect(credential).not.toHaveProperty(name);
  });

  it('18.9 whose payload breaks the schema of its type is 400, with the place of each fault', async () => {
    const { status, body } = await bench.stage.management('POST', '/oidc4vp', {
      dcql_query: { credentials: [cardQuery()] },
      transaction_data: [payment({ amount: 12.505, payee: { name: 'Shop Ltd' }, amout: 1 })],
    });
    expect(status).toBe(400);
    expect((body['errors'] as { path: string }[]).map(({ path }) => path)).toEqual([
      'transaction_data[0].payload.payee.id',
      'transaction_data[0].payload.amout',
      'transaction_data[0].payload.amount',
    ]);
  });
});

describe('18.9 a verifier for wallets that leave evidence out, and for payments by another name', () => {
  const own = 'https://payments.example/transfer';
  let lenient: Bench;
  beforeAll(async () => {
    const environment = { SCA_EVIDENCE: 'when-present', SCA_TRANSACTION_TYPES: `${own}=urn:eudi:sca:payment:1` };
    lenient = await createBench({ environment });
  });
  afterAll(() => lenient?.stop());

  it('18.9 takes a payment without evidence, and delivers what there is', async () => {
    const { jti } = evidence;
    const ending = await lenient.attempt(confirming({ ...payment(), type: own }, { jti }));
    expect([ending.status, ending.codes]).toEqual(['FULFILLED', []]);
    const credential = await credentialOf(ending.state, lenient);
    expect(credential).toMatchObject({ jti });
    expect(credential).not.toHaveProperty('amr');
  });

  it('18.9 refuses evidence that is wrong all the same', async () => {
    const ending = await lenient.attempt(confirming({ ...payment(), type: own }, { amr: [] }));
    expect([ending.status, ending.codes]).toEqual(['VERIFICATION_FAILED', ['sca_factors_insufficient']]);
  });
});
