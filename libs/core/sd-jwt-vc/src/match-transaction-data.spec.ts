import { parseSdJwtVc, unpackClaims, verifyKeyBinding, type RequestedTransactionData } from './index';
import { bind, build, encodeJson, expectation, failsWith, hash } from './testing/sd-jwt-builder.fixture-spec';

const sdJwt = build();
const payment = encodeJson({ type: 'payment', credential_ids: ['pid'], amount: '10.00' });
const consent = encodeJson({ type: 'consent', credential_ids: ['pid'] });

function verify(requested: RequestedTransactionData[], claims: object) {
  const parsed = parseSdJwtVc(bind(sdJwt, { claims }));
  const expected = { ...expectation, transactionData: requested };
  return verifyKeyBinding(parsed, unpackClaims(parsed).claims, expected).transactionData;
}
const refused = (requested: RequestedTransactionData[], claims: object, code: string) =>
  expect(() => verify(requested, claims)).toThrow(failsWith(code));
const hashes = (...texts: string[]) => ({ transaction_data_hashes: texts.map((text) => hash(text)) });

describe('VP:F6 transaction data', () => {
  it('is confirmed by one hash for each element, in any order', () => {
    const requested = [{ encoded: payment }, { encoded: consent }];
    const expected = { hashes: [hash(consent), hash(payment)], confirmed: [0, 1] };
    expect(verify(requested, hashes(consent, payment))).toEqual(expected);
  });

  it('without any hash is refused (sd:neg-td-missing)', () => {
    refused([{ encoded: payment }], {}, 'transaction_data_missing');
  });

  it('with one hash too few is refused (sd:neg-td-one-missing)', () => {
    refused([{ encoded: payment }, { encoded: consent }], hashes(payment), 'transaction_data_mismatch');
    refused([{ encoded: payment }, { encoded: payment }], hashes(payment), 'transaction_data_mismatch');
  });

  it('with a wrong hash is refused (sd:neg-td-wrong)', () => {
    refused([{ encoded: payment }], hashes('something else'), 'transaction_data_mismatch');
  });

  it.each([[[]], ['text'], [null], [{}], [[1]], [[null]]])(
    'with hashes written as %j is refused (sd:neg-td-shape)',
    (transaction_data_hashes) => {
      refused([{ encoded: payment }], { transaction_data_hashes }, 'transaction_data_mismatch');
    },
  );

  it('with no hash, or with one that is none, is refused whatever else fits (sd:neg-td-shape)', () => {
    const elsewhere = [{ encoded: payment, mayBeConfirmedElsewhere: true }];
    for (const requested of [[], elsewhere]) refused(requested, hashes(), 'transaction_data_mismatch');
    const beside = { transaction_data_hashes: [hash(payment), 1] };
    refused([{ encoded: payment }], beside, 'transaction_data_mismatch');
  });

  it('VP:F5 is hashed as the string that was sent (sd:neg-td-hash-over-decoded)', () => {
    const decoded = Buffer.from(payment, 'base64url').toString();
    refused([{ encoded: payment }], hashes(decoded), 'transaction_data_mismatch');
    refused([{ encoded: payment }], hashes(`${payment}=`), 'transaction_data_mismatch');
  });
});

describe('VP:F7 the hash algorithm of transaction data', () => {
  const offering = (...hashAlgorithms: string[]) => [{ encoded: payment, hashAlgorithms }];

  it('is SHA-256 where none is named (sd:pos-td-default-alg)', () => {
    expect(verify([{ encoded: payment }], hashes(payment))?.confirmed).toEqual([0]);
    const named = { ...hashes(payment), transaction_data_hashes_alg: 'sha-256' };
    expect(verify([{ encoded: payment }], named)?.confirmed).toEqual([0]);
  });

  it('must be named where algorithms were offered (sd:neg-td-alg-missing)', () => {
    refused(offering('sha-256'), hashes(payment), 'transaction_data_algorithm');
  });

  it('must be one of the offered (sd:neg-td-alg-not-offered)', () => {
    const sha512 = { transaction_data_hashes: [hash(payment, 'sha512')], transaction_data_hashes_alg: 'sha-512' };
    refused(offering('sha-256'), sha512, 'transaction_data_algorithm');
    refused([{ encoded: payment }], sha512, 'transaction_data_algorithm');
    expect(verify(offering('sha-256', 'sha-512'), sha512)?.confirmed).toEqual([0]);
  });

  it.each(['md5', 'SHA-256', 256, null, 'toString'])('%j is refused (sd:neg-td-alg-unknown)', (alg) => {
    const claims = { ...hashes(payment), transaction_data_hashes_alg: alg };
    refused(offering('md5', 'sha-256'), claims, 'transaction_data_algorithm');
  });
});

describe('VP:F8 transaction data for one of several credentials', () => {
  const requested = [{ encoded: payment, mayBeConfirmedElsewhere: true }, { encoded: consent }];

  it('may be confirmed here', () => {
    expect(verify(requested, hashes(payment, consent))?.confirmed).toEqual([0, 1]);
  });

  it('or elsewhere, which the result shows', () => {
    expect(verify(requested, hashes(consent))?.confirmed).toEqual([1]);
    expect(verify(requested.slice(0, 1), {})).toBeUndefined();
  });

  it('does not excuse what must be confirmed here', () => {
    refused(requested, hashes(payment), 'transaction_data_mismatch');
    refused(requested, {}, 'transaction_data_missing');
  });

  it('does not excuse the algorithm where it is confirmed', () => {
    const offered = [{ encoded: payment, mayBeConfirmedElsewhere: true, hashAlgorithms: ['sha-256'] }];
    refused(offered, hashes(payment), 'transaction_data_algorithm');
  });
});

describe('VP:F9 hashes that nobody asked for', () => {
  it('beside the right ones are refused (sd:neg-td-extra-hash)', () => {
    refused([{ encoded: payment }], hashes(payment, consent), 'transaction_data_unexpected');
    refused([{ encoded: payment }], hashes(payment, payment), 'transaction_data_unexpected');
  });

  it('without transaction data are refused (sd:neg-td-unsolicited)', () => {
    refused([], hashes(payment), 'transaction_data_unexpected');
  });
});
