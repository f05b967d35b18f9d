import { formatPath, judge } from './faults';
import { credentialOfferBody, presentationRequestBody } from './index';

describe('judge', () => {
  it('lists every wrong place of a body, and what an unknown member was probably meant to be', () => {
    const { faults } = judge(presentationRequestBody, {
      dcql_query: [],
      expiresIn: 5,
      expires_in: 0,
      transaction_data: [],
    });
    expect(faults.map((fault) => fault.path).sort()).toEqual([
      'dcql_query',
      'expiresIn',
      'expires_in',
      'transaction_data',
    ]);
    expect(faults.find((fault) => fault.path === 'expiresIn')?.message).toContain('did you mean expires_in?');
  });

  it('knows the limits of a credential offer', () => {
    const body = {
      credential_configuration_id: 'pid',
      tx_code: { length: 3, input_mode: 'pin', description: 'x'.repeat(301) },
    };
    const { faults } = judge(credentialOfferBody, body);
    expect(faults.map((fault) => fault.path).sort()).toEqual([
      'tx_code.description',
      'tx_code.input_mode',
      'tx_code.length',
    ]);
  });
});

describe('formatPath', () => {
  it('writes members with dots and positions with brackets', () => {
    expect(formatPath(['credentials', 0, 'claims', 2, 'path', 1])).toBe('credentials[0].claims[2].path[1]');
  });
});
