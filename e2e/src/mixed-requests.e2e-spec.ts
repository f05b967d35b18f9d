import { bindingClaims } from './attempts';
import { cardQuery, joinBench, type Attempt, type Bench, type Hand } from './checklist-bench';
import { digestOf, type Members } from './handmade-credential';
import { encryptResponse, postForm, type OpenedRequest } from './handmade-wallet';

let bench: Bench;
beforeAll(async () => {
  bench = await joinBench();
});
afterAll(() => bench?.stop());

const transfer = (amount: string, payee: string, id = 'card'): Members => ({
  type: 'transfer',
  credential_ids: [id],
  amount,
  payee,
});
const asking = (data: Members): Attempt => ({ ask: { transaction_data: [data] } });

const hashesIn = ({ claims }: OpenedRequest) => (claims['transaction_data'] as string[]).map((text) => digestOf(text));

/** A presentation of a wallet that confirms the transaction of `request`, with other claims of the key binding. */
const confirmed = ({ show }: Hand, request: OpenedRequest, members: Members = {}) =>
  show({ binding: bindingClaims({ transaction_data_hashes: hashesIn(request), ...members }) });

const answering = (vpToken: (hand: Hand) => unknown, rest: Attempt = {}): Attempt => ({ ...rest, vpToken });

/** What is taken from another request, which the same holder has open with the same verifier. */
type Mixture = readonly [what: string, attempt: (other: OpenedRequest) => Attempt, end: string, code: string];

describe('two open requests, one to pay 10.00 to the shop and one to pay 900.00 to somebody else', () => {
  it.each<Mixture>([
    [
      'VP:Q1 VP:M5 the presentation that was made for the other one',
      (other) => answering((hand) => ({ card: [confirmed(hand, other, { nonce: other.nonce })] })),
      'VERIFICATION_FAILED',
      'key_binding_nonce',
    ],
    [
      'VP:F6 the transaction of the other one, confirmed with the nonce of this one',
      (other) => answering((hand) => ({ card: [confirmed(hand, other)] })),
      'VERIFICATION_FAILED',
      'transaction_data_mismatch',
    ],
    [
      'VP:M5 the transaction of this one, confirmed with the nonce of the other one',
      (other) => answering((hand) => ({ card: [confirmed(hand, hand.request, { nonce: other.nonce })] })),
      'VERIFICATION_FAILED',
      'key_binding_nonce',
    ],
    [
      'VP:F9 both transactions at once',
      (other) =>
        answering((hand) => ({
          card: [confirmed(hand, other, { transaction_data_hashes: [hand.request, other].flatMap(hashesIn) })],
        })),
      'VERIFICATION_FAILED',
      'transaction_data_unexpected',
    ],
    [
      'VP:H2 the state of the other one',
      ({ state }) =>
        answering((hand) => ({ card: [confirmed(hand, hand.request)] }), {
          response: (right) => ({ ...right, state }),
        }),
      'PROCESSING_ERROR',
      'response_state_mismatch',
    ],
    [
      'VP:H4 the encryption key of the other one',
      ({ encryptionKey }) =>
        answering((hand) => ({ card: [confirmed(hand, hand.request)] }), {
          encryption: ({ header }) => ({ header: { ...header, kid: encryptionKey.kid }, recipient: encryptionKey }),
        }),
      'PROCESSING_ERROR',
      'response_not_decryptable',
    ],
    [
      'VP:H4 the encryption key of the other one under the kid of this one',
      ({ encryptionKey: recipient }) =>
        answering((hand) => ({ card: [confirmed(hand, hand.request)] }), { encryption: () => ({ recipient }) }),
      'PROCESSING_ERROR',
      'response_not_decryptable',
    ],
  ])('%s: this one is not fulfilled, and the other one stays open and good', async (_what, attempt, end, code) => {
    const own = await bench.ask(asking(transfer('10.00', 'Shop')));
    const other = await bench.ask(asking(transfer('900.00', 'Somebody')));
    const { status, codes, http } = await bench.answer(own, attempt(other));
    expect([status, codes, http.status]).toEqual([end, [code], 400]);
    const right = answering((hand) => ({ card: [confirmed(hand, other)] }));
    expect(await bench.answer(other, right)).toMatchObject({ status: 'FULFILLED', codes: [] });
  });

  it('VP:G6 an error with the state of the other one ends neither', async () => {
    const [own, other] = [await bench.ask(), await bench.ask()];
    const error = { error: 'access_denied', state: other.state };
    expect((await postForm(own.responseUri, error)).status).toBe(400);
    for (const request of [own, other]) expect(await bench.answer(request)).toMatchObject({ status: 'FULFILLED' });
  });
});

describe('VP:G3 VP:P2 the browser of one user and the browser of another, each at a request of its own', () => {
  const returning = { ask: { redirect_uri: 'https://shop.example/return' }, sameDevice: true };
  const codeIn = (text: string) =>
    new URL((JSON.parse(text) as { redirect_uri: string }).redirect_uri).searchParams.get('response_code');

  it('get codes of their own, and none by sending what the other one sent', async () => {
    const [one, two] = [await bench.ask(returning), await bench.ask(returning)];
    const sent: string[] = [];
    const form = (jwe: string) => (sent.push(jwe), { response: jwe });
    const first = await bench.answer(one, { form });
    expect(codeIn(first.http.text)).toBe((await bench.eventOf(one.state))['responseCode']);
    const taken = await bench.endOf(two.state, await postForm(two.responseUri, { response: sent[0] ?? '' }));
    expect([taken.status, taken.http.status]).toEqual(['PROCESSING_ERROR', 400]);
    expect(taken.http.text).not.toContain('response_code');
  });

  it('VP:G9 get nothing by an answer of their own to the request that the other one has answered', async () => {
    const one = await bench.ask(returning);
    await bench.answer(one);
    const late = await encryptResponse(one, JSON.stringify({ vp_token: {}, state: one.state }));
    const answer = await postForm(one.responseUri, { response: late });
    expect([answer.status, answer.text.includes('response_code')]).toEqual([400, false]);
  });
});

describe('two transactions, each for a credential of its own', () => {
  const data = [transfer('10.00', 'Shop', 'card'), transfer('900.00', 'Somebody', 'second')];
  const both = { dcql_query: { credentials: [cardQuery(), cardQuery({ id: 'second' })] }, transaction_data: data };
  const pairing = (order: readonly [number, number]): Attempt => ({
    ask: both,
    vpToken: (hand) => {
      const of = (index: number) =>
        confirmed(hand, hand.request, { transaction_data_hashes: [hashesIn(hand.request)[index]] });
      return { card: [of(order[0])], second: [of(order[1])] };
    },
  });

  it('VP:F8 are confirmed by the credentials that they name, and not exchanged', async () => {
    expect(await bench.attempt(pairing([0, 1]))).toMatchObject({ status: 'FULFILLED', codes: [] });
    expect(await bench.attempt(pairing([1, 0]))).toMatchObject({
      status: 'VERIFICATION_FAILED',
      codes: ['transaction_data_mismatch'],
    });
  });
});

it('each made one callback, which names the fault of the record', () => bench.expectOneCallbackEach());
