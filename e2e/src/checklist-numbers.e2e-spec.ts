import { joinBench, type Attempt, type Bench } from './checklist-bench';
import {
  digestOf,
  encodeText,
  nowSeconds,
  type Change,
  type CredentialDraft,
  type JwtDraft,
  type Members,
} from './handmade-credential';
import { CLAIMS } from './flows';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

/** Numbers that a double does not have. */
const INEXACT = ['1e999', '-1E400', '9007199254740993', '0.1000000000000000055511151231257827', '1e-400'];
/** Numbers that come back as they were sent, and how JSON.stringify spells them. */
const EXACT = '[-0,1.50,0.1,1e3,9007199254740992,1e21,5e-324]';
const REWRITTEN = '[0,1.5,0.1,1000,9007199254740992,1e+21,5e-324]';

/** JSON whose strings `#…` are numbers, written digit by digit. */
const write = (value: unknown) => JSON.stringify(value).replace(/"#([^"]*)"/g, '$1');
/** The payload as text, with these members; drafts take a text, too. */
const payload =
  (members: Members): Change<CredentialDraft> =>
  (right) => ({
    payload: write({ ...right.payload, ...members }) as unknown as Members,
  });
const disclosed = (text: string, isUsed = true): Change<CredentialDraft> => {
  const encoded = encodeText(text);
  return ({ payload: { _sd, ...rest }, disclosures }) => ({
    payload: { ...rest, _sd: [...(_sd as string[]), ...(isUsed ? [digestOf(encoded)] : [])] },
    disclosures: [...disclosures, encoded],
  });
};
const bound =
  (members: Members): Change<JwtDraft> =>
  (right) => ({
    payload: write({ ...(right.payload as Members), ...members }),
  });

/** How an answer ends, with what its callback says. */
async function endOf(attempt: Attempt) {
  const { status, codes, http, state } = await bench.attempt(attempt);
  const { errorDetails } = await bench.eventOf(state);
  return { status, codes, http: http.status, errorDetails: String(errorDetails) };
}
const refused = (code: string, place: string) => ({
  status: 'VERIFICATION_FAILED',
  codes: [code],
  http: 400,
  errorDetails: expect.stringMatching(new RegExp(`^${code}: .*at ${place.replace(/[[\]]/g, '\\$&')} `)) as string,
});

describe('a presentation with a number that would become another one', () => {
  it.each(INEXACT)('%s in the payload of the issuer is VERIFICATION_FAILED, with its place', async (literal) => {
    expect(await endOf({ afterwards: payload({ account: { sums: [1, `#${literal}`] } }) })).toEqual(
      refused('number_not_exact', 'account.sums[1]'),
    );
  });

  it.each(INEXACT)('%s in a disclosure, asked for or not', async (literal) => {
    const query = { claims: [{ path: ['family_name'] }, { path: ['height'] }] };
    const text = `["salt","height",${literal}]`;
    expect(await endOf({ query, credential: disclosed(text) })).toEqual(refused('number_not_exact', 'height'));
    const surplus = `["salt","other",{"deep":[${literal}]}]`;
    expect(await endOf({ credential: disclosed(surplus) })).toEqual(refused('number_not_exact', 'other.deep[0]'));
    expect(await endOf({ credential: disclosed(surplus, false) })).toEqual(
      refused('number_not_exact', 'other.deep[0]'),
    );
  });

  it.each(INEXACT)('%s in the key binding', async (literal) => {
    expect(await endOf({ binding: bound({ extra: `#${literal}` }) })).toEqual(
      refused('key_binding_malformed', 'extra'),
    );
  });

  it('VP:K19 VP:M6 in the times of the credential, but not in that of the key binding, which is not delivered', async () => {
    const exp = `#${nowSeconds() + 600}.00000000000001`;
    expect(await endOf({ afterwards: payload({ exp }) })).toEqual(refused('number_not_exact', 'exp'));
    const iat = `#${nowSeconds()}.00000000000001`;
    const { status } = await bench.attempt({ binding: bound({ iat }) });
    expect(status).toBe('FULFILLED');
    expect(await endOf({ binding: bound({ iat: '#1e999' }) })).toEqual(refused('key_binding_malformed', 'iat'));
  });

  it.each(INEXACT)('VP:I7 is ignored in a parameter of the response that nobody knows: %s', async (literal) => {
    const { status } = await bench.attempt({ response: (right) => write({ ...right, extra: `#${literal}` }) });
    expect(status).toBe('FULFILLED');
  });

  it('every one had its one callback', () => bench.expectOneCallbackEach());
});

it('a presentation with numbers that stay what they are delivers them', async () => {
  const { state, status } = await bench.attempt({
    query: { claims: [{ path: ['family_name'] }, { path: ['plain'] }, { path: ['hidden'] }] },
    credential: disclosed(`["salt","hidden",${EXACT}]`),
    afterwards: payload({ plain: `#${EXACT}` }),
  });
  expect(status).toBe('FULFILLED');
  const { credentials } = (await bench.eventOf(state)) as { credentials: { card: [{ claims: Members }] } };
  const { plain, hidden } = credentials.card[0].claims;
  expect([JSON.stringify(plain), JSON.stringify(hidden)]).toEqual([REWRITTEN, REWRITTEN]);
});

describe('an offer', () => {
  const send = async (method: string, path: string, body: string, headers: Record<string, string> = {}) => {
    const json = { 'content-type': 'application/json', ...headers };
    const answer = await fetch(`${bench.stage.stack.managementUrl}${path}`, { method, headers: json, body });
    return { status: answer.status, body: (await answer.json()) as Members };
  };
  const offerOf = (claims: string, more = '') =>
    `{"credential_configuration_id":"identity-card","claims":${claims}${more}}`;
  const withSums = (sums: string) => `${JSON.stringify(CLAIMS).slice(0, -1)},"address":{"locality":${sums}}}`;
  const pathsIn = ({ body }: { body: Members }) => (body['errors'] as { path: string }[]).map(({ path }) => path);

  it.each(INEXACT)('with %s in its claims is 400 with the path, and its idempotency key is free', async (literal) => {
    const key = { 'idempotency-key': `${literal.replace(/[^A-Za-z0-9]/g, '-')}-${'k'.repeat(64)}` };
    const got = await send('POST', '/offers', offerOf(withSums(`[1,${literal}]`)), key);
    expect([got.status, got.body['code'], pathsIn(got)]).toEqual([
      400,
      'invalid_request',
      ['claims.address.locality[1]'],
    ]);
    expect((await send('POST', '/offers', offerOf(withSums('[1,2]')), key)).status).toBe(201);
  });

  it.each(INEXACT)('that gets %s later stays open for the right claims', async (literal) => {
    const { body } = await send('POST', '/offers', offerOf('{}', ',"deferred":true'));
    const path = `/offers/${String(body['offer_id'])}`;
    const got = await send('PATCH', path, `{"claims":${withSums(literal)}}`);
    expect([got.status, pathsIn(got)]).toEqual([400, ['claims.address.locality']]);
    expect((await send('PATCH', path, `{"claims":${withSums('1e21')}}`)).body['deferral']).toBe('ready');
  });

  it('with numbers that stay what they are issues them', async () => {
    const { body } = await send('POST', '/offers', offerOf(withSums(EXACT)));
    const [credential] = await bench.stage.createWallet().redeemOffer(String(body['credential_offer_uri']));
    const { address } = credential?.claims as { address: { locality: unknown } };
    expect(JSON.stringify(address.locality)).toBe(REWRITTEN);
  });
});
