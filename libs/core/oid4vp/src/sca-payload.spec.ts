import { encodeBase64url, type JsonObject, type JsonValue } from '@vestibule/foundation';
import fc from 'fast-check';
import { parseTransactionData, SCA_PAYLOAD_TYPES, type ScaRules } from './index';

const PAYMENT = 'urn:eudi:sca:payment:1';
const LOGIN = 'urn:eudi:sca:login_risk_transaction:1';
const ACCESS = 'urn:eudi:sca:account_access:1';
const MANDATE = 'urn:eudi:sca:emandate:1';
const OWN = 'https://payments.example/transfer';

/** Half an hour before midnight in London: it is tomorrow already further east. */
const rules: ScaRules = { types: new Map([[OWN, PAYMENT]]), now: new Date('2026-03-01T23:30:00Z') };
const targets = [{ id: 'card', holderBinding: 'required' }] as const;

const transaction = (type: string, payload?: JsonValue, more: JsonObject = {}): JsonObject => ({
  type,
  credential_ids: ['card'],
  transaction_data_hashes_alg: ['sha-256'],
  ...(payload === undefined ? {} : { payload }),
  ...more,
});
const parse = (one: JsonValue) => parseTransactionData([one], targets, rules);
const faultsOf = (one: JsonObject) => parse(one).faults.map(({ path, message }) => `${path} ${message}`);

const payee = { name: 'Shop Ltd', id: 'GB33BUKB20201555555555' };
const pay = (members: JsonObject = {}): JsonObject => ({
  transaction_id: '8D8AC610-566D-4EF0-9C22-186B2A5ED793',
  payee,
  currency: 'EUR',
  amount: 12.5,
  ...members,
});
const placesOf = (type: string, payload: JsonObject) =>
  parse(transaction(type, payload)).faults.map(({ path }) => path.replace('transaction_data[0].payload', ''));

describe('the payload of a transaction for strong customer authentication', () => {
  it.each<readonly [string, JsonObject]>([
    [PAYMENT, pay()],
    [OWN, pay()],
    [PAYMENT, pay({ amount: -0.01, amount_estimated: true, amount_earmarked: false, sct_inst: true })],
    [PAYMENT, pay({ currency: 'JPY', amount: 500 })],
    [PAYMENT, pay({ currency: 'KWD', amount: 1.125 })],
    [PAYMENT, pay({ payee: { ...payee, logo: 'data:image/png;base64,AA==', website: 'https://shop.example' } })],
    [PAYMENT, pay({ execution_date: '2026-03-01T00:00:00Z' })],
    [PAYMENT, pay({ execution_date: '2026-03-02T00:00:00+01:00', date_time: '2025-01-01T00:00:00Z' })],
    [PAYMENT, pay({ recurrence: { frequency: 'MNTH', number: 12, mit_options: { max_amount: 99.99, apr: 3.125 } } })],
    [PAYMENT, pay({ pisp: { legal_name: 'P Ltd', brand_name: 'P', domain_name: 'p.example' } })],
    [LOGIN, { transaction_id: '1', action: 'Log in', service: 'Bank' }],
    [ACCESS, { transaction_id: '1' }],
    [ACCESS, { transaction_id: '1', aisp: { legal_name: 'A Ltd', brand_name: 'A', domain_name: 'a.example' } }],
    [MANDATE, { transaction_id: '1', purpose: 'Pay monthly' }],
    [MANDATE, { transaction_id: '1', payment_payload: pay() }],
  ])('18.9 of the type %s is accepted: %j', (type, payload) => {
    const { data, faults } = parse(transaction(type, payload));
    expect(faults).toEqual([]);
    expect(data[0]?.needsScaEvidence).toBe(true);
  });

  it.each<readonly [string, JsonObject, readonly string[]]>([
    [PAYMENT, {}, ['.transaction_id', '.payee', '.currency', '.amount']],
    [PAYMENT, pay({ transaction_id: 'x'.repeat(37) }), ['.transaction_id']],
    [PAYMENT, pay({ payee: 'Shop Ltd' }), ['.payee']],
    [PAYMENT, pay({ payee: { name: '' } }), ['.payee.name', '.payee.id']],
    [PAYMENT, pay({ payee: { ...payee, website: 'javascript:alert(1)' } }), ['.payee.website']],
    [PAYMENT, pay({ payee: { ...payee, logo: 'data:text/html,x' } }), ['.payee.logo']],
    [PAYMENT, pay({ currency: 'eur' }), ['.currency']],
    [PAYMENT, pay({ amount: '12.50' }), ['.amount']],
    [PAYMENT, pay({ amount: 12.505 }), ['.amount']],
    [PAYMENT, pay({ amount: 1e-7 }), ['.amount']],
    [PAYMENT, pay({ amount: 1e15 }), ['.amount']],
    [PAYMENT, pay({ currency: 'JPY', amount: 0.5 }), ['.amount']],
    [PAYMENT, pay({ amout: 3 }), ['.amout']],
    [PAYMENT, pay({ __proto__x: 3 }), ['.__proto__x']],
    [PAYMENT, pay({ sct_inst: 'yes' }), ['.sct_inst']],
    [PAYMENT, pay({ date_time: '2026-03-01' }), ['.date_time']],
    [PAYMENT, pay({ execution_date: '2026-02-30T00:00:00Z' }), ['.execution_date']],
    [PAYMENT, pay({ execution_date: '2026-02-28T23:59:59Z' }), ['.execution_date']],
    [PAYMENT, pay({ execution_date: '2026-03-01T23:59:59+01:00' }), ['.execution_date']],
    [PAYMENT, pay({ execution_date: '2026-03-02T00:00:00Z', recurrence: { frequency: 'DAIL' } }), ['.execution_date']],
    [PAYMENT, pay({ recurrence: {} }), ['.recurrence.frequency']],
    [
      PAYMENT,
      pay({ recurrence: { frequency: 'DAILY', number: 1.5 } }),
      ['.recurrence.frequency', '.recurrence.number'],
    ],
    [
      PAYMENT,
      pay({ recurrence: { frequency: 'DAIL', mit_options: { max_amount: 0.001 } } }),
      ['.recurrence.mit_options.max_amount'],
    ],
    [LOGIN, { transaction_id: '1' }, ['.action']],
    [LOGIN, { transaction_id: '1', action: 'x'.repeat(141), amount: 1 }, ['.action', '.amount']],
    [ACCESS, { transaction_id: '1', aisp: {} }, ['.aisp.legal_name', '.aisp.brand_name', '.aisp.domain_name']],
    [MANDATE, { transaction_id: '1' }, ['.purpose']],
    [MANDATE, { transaction_id: '1', payment_payload: pay({ amount: 0.001 }) }, ['.payment_payload.amount']],
    [MANDATE, { transaction_id: '1', payment_payload: null }, ['.payment_payload']],
  ])('18.9 of the type %s is refused: %j', (type, payload, places) => {
    expect(placesOf(type, payload)).toEqual(places);
    const encoded = encodeBase64url(Buffer.from(JSON.stringify(transaction(type, payload))));
    expect(parse(encoded).faults).toEqual(parse(transaction(type, payload)).faults);
  });

  it('18.9 says what is expected', () => {
    expect(faultsOf(transaction(PAYMENT))).toEqual(['transaction_data[0].payload is required']);
    expect(faultsOf(transaction(PAYMENT, pay({ amout: 1 })))).toEqual([
      'transaction_data[0].payload.amout is not a member of this type; did you mean amount?',
    ]);
    expect(faultsOf({ type: PAYMENT, credential_ids: ['card'], payload: pay() })).toEqual([
      'transaction_data[0].transaction_data_hashes_alg is required, such as ["sha-256"]',
    ]);
  });

  it('18.9 does not exist for an unknown URI of TS12, which is refused, nor for types of others, which are not judged', () => {
    expect(faultsOf(transaction('urn:eudi:sca:payments:1', pay()))).toEqual([
      `transaction_data[0].type must be one of ${SCA_PAYLOAD_TYPES.join(', ')}`,
    ]);
    const other = parse({ type: 'https://other.example/payment', credential_ids: ['card'], amount: 'x' });
    expect([other.faults, other.data[0]?.needsScaEvidence]).toEqual([[], undefined]);
  });

  it('18.9 is judged whatever it is, without an exception', () => {
    const any = fc.jsonValue() as fc.Arbitrary<JsonValue>;
    const names = ['transaction_id', 'payee', 'currency', 'amount', 'recurrence', 'payment_payload', 'execution_date'];
    const payload = fc.oneof(any, fc.dictionary(fc.constantFrom(...names), any));
    fc.assert(
      fc.property(fc.constantFrom(...SCA_PAYLOAD_TYPES), payload, (type, value) => {
        const { data, faults } = parse(transaction(type, value as JsonValue));
        expect(data.length + Math.min(faults.length, 1)).toBe(1);
      }),
    );
  });
});
