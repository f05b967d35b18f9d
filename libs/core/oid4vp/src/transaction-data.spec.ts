import { encodeBase64url, type JsonValue } from '@vestibule/foundation';
import { parseTransactionData, type ScaRules, type TransactionTarget } from './index';

const targets: TransactionTarget[] = [
  { id: 'pid', holderBinding: 'required' },
  { id: 'ticket', holderBinding: 'notRequired' },
];
const rules: ScaRules = { types: new Map(), now: new Date('2026-03-01T23:30:00Z') };
const payment = { type: 'payment', credential_ids: ['pid'], amount: '10' };
const encode = (value: unknown) => encodeBase64url(Buffer.from(JSON.stringify(value)));
const faultPaths = (...elements: JsonValue[]) =>
  parseTransactionData(elements, targets, rules).faults.map((fault) => fault.path);

describe('parseTransactionData', () => {
  it('VP:F5 keeps the text as it came, white space and all', () => {
    const text = encodeBase64url(Buffer.from('{ "type":"payment",  "credential_ids":["pid"] }'));
    expect(parseTransactionData([text], targets, rules)).toEqual({
      data: [{ encoded: text, credentialIds: ['pid'] }],
      faults: [],
    });
  });

  it('VP:F1 encodes a plain object once', () => {
    expect(parseTransactionData([payment], targets, rules).data[0]?.encoded).toBe(encode(payment));
  });

  it('VP:F4 keeps the offered hash algorithms', () => {
    const offer = { ...payment, transaction_data_hashes_alg: ['sha-512', 'sha-256'] };
    expect(parseTransactionData([offer], targets, rules).data[0]?.hashAlgorithms).toEqual(['sha-512', 'sha-256']);
  });

  it.each([
    ['VP:F1 padding', [`${encode(payment)}=`], ['transaction_data[0]']],
    ['VP:F1 a number', [1], ['transaction_data[0]']],
    ['VP:F1 null', [null], ['transaction_data[0]']],
    ['VP:F1 a list', [[payment]], ['transaction_data[0]']],
    ['VP:F1 an array inside', [encode([payment])], ['transaction_data[0]']],
    ['VP:F1 text that is not JSON', ['bm90IGpzb24'], ['transaction_data[0]']],
    ['VP:F2 a missing type', [encode({ credential_ids: ['pid'] })], ['transaction_data[0].type']],
    ['VP:F2 missing ids', [encode({ type: 'x' })], ['transaction_data[0].credential_ids']],
    [
      'VP:F2 an unknown id',
      [encode({ type: 'x', credential_ids: ['pid', 'other'] })],
      ['transaction_data[0].credential_ids[1]'],
    ],
    [
      'VP:F3 a credential without holder binding',
      [encode({ type: 'x', credential_ids: ['ticket'] })],
      ['transaction_data[0].credential_ids[0]'],
    ],
    [
      'VP:F4 a hash that cannot be checked',
      [encode({ ...payment, transaction_data_hashes_alg: ['md5'] })],
      ['transaction_data[0].transaction_data_hashes_alg'],
    ],
    [
      'VP:F4 an empty list of hashes',
      [encode({ ...payment, transaction_data_hashes_alg: [] })],
      ['transaction_data[0].transaction_data_hashes_alg'],
    ],
  ] as [string, JsonValue[], string[]][])('refuses %s', (_what, elements, paths) => {
    expect(faultPaths(...elements)).toEqual(paths);
  });

  it('VP:F1 names every number that would become another one', () => {
    const text = (json: string) => encodeBase64url(Buffer.from(json));
    const sums = text('{"type":"x","credential_ids":["pid"],"sums":[1,1e999,{"a b":9007199254740993}],"rate":0.10}');
    expect(faultPaths(payment, sums, text('12345678901234567890'))).toEqual([
      'transaction_data[1].sums[1]',
      'transaction_data[1].sums[2]["a b"]',
      'transaction_data[2]',
    ]);
  });

  it('lists the faults of every element', () => {
    expect(faultPaths('?', encode({}))).toEqual([
      'transaction_data[0]',
      'transaction_data[1].type',
      'transaction_data[1].credential_ids',
    ]);
  });

  it('does not judge which credentials are named where the query itself cannot be read', () => {
    const { faults } = parseTransactionData([payment, { ...payment, credential_ids: [] }, {}], undefined, rules);
    expect(faults.map((fault) => fault.path)).toEqual([
      'transaction_data[1].credential_ids',
      'transaction_data[2].type',
      'transaction_data[2].credential_ids',
    ]);
  });
});
