import { issuerInfo, mostCredentialsOf, reusePolicy } from './reuse-policy';

const policy = (...options: object[]) => ({ id: 'arf_annex_ii', options });
const once = { details: ['once_only'], batch_size: 10, reissue_trigger_unused: 2 };
const limited = { details: ['limited_time'], reissue_trigger_lifetime_left: 600 };
const rotating = { details: ['rotating-batch'], batch_size: 5, reissue_trigger_lifetime_left: 600 };
const both = { ...once, details: ['per-relying-party', 'once_only'], reissue_trigger_lifetime_left: 604_800 };

describe('credential_reuse_policy', () => {
  it.each<[object, number]>([
    [policy(once), 10],
    [policy(limited), 1],
    [policy(rotating), 5],
    [policy(both), 10],
    [policy(limited, rotating, once), 10],
    [policy({ ...limited, details: ['limited_time', 'rotating-batch'], batch_size: 3 }), 3],
  ])('VCI:M18 takes %j, for at most %d credentials at once', (value, most) => {
    const parsed = reusePolicy.parse(value);
    expect(parsed).toEqual(value);
    expect(mostCredentialsOf(parsed)).toBe(most);
  });

  it.each<[string, unknown]>([
    ['another id', { ...policy(once), id: 'own' }],
    ['no option', policy()],
    ['an unknown member', { ...policy(once), version: 1 }],
    ['no method', policy({ ...once, details: [] })],
    ['an unknown method', policy({ ...once, details: ['once-only'] })],
    ['a method twice', policy({ ...once, details: ['once_only', 'once_only'] })],
    ['a batch of one', policy({ ...once, batch_size: 1, reissue_trigger_unused: 0 })],
    ['a batch of text', policy({ ...once, batch_size: '10' })],
    ['a batch beyond what an issuer gives', policy({ ...once, batch_size: 101 })],
    ['once_only without a batch', policy({ details: ['once_only'], reissue_trigger_unused: 0 })],
    ['once_only without a trigger', policy({ details: ['once_only'], batch_size: 2 })],
    ['a trigger that is always met', policy({ ...once, reissue_trigger_unused: 10 })],
    ['limited_time with a batch', policy({ ...limited, batch_size: 2 })],
    ['limited_time without a lifetime', policy({ details: ['limited_time'] })],
    ['a lifetime of nothing', policy({ ...limited, reissue_trigger_lifetime_left: 0 })],
    ['a rotating batch without a lifetime', policy({ details: ['rotating-batch'], batch_size: 2 })],
    ['a trigger without a batch', policy({ ...limited, reissue_trigger_unused: 0 })],
  ])('VCI:M18 refuses %s', (_what, value) => {
    expect(reusePolicy.safeParse(value).success).toBe(false);
  });
});

describe('issuer_info', () => {
  const certificate = { format: 'registration_cert', data: 'e30.e30.AA' };
  const dataset = { format: 'registrar_dataset', data: { registryURI: 'https://registry.example', list: [1, null] } };

  it('VCI:M1 is published as it is', () => {
    expect(issuerInfo.parse([dataset, certificate])).toEqual([dataset, certificate]);
  });

  it.each<[string, unknown]>([
    ['nothing', []],
    ['another format', [{ format: 'x', data: 'e30.e30.AA' }]],
    ['a certificate that is no JWT', [{ ...certificate, data: 'abc' }]],
    ['a certificate that is an object', [{ ...certificate, data: {} }]],
    ['a data set that is text', [{ ...dataset, data: 'e30.e30.AA' }]],
    ['an unknown member', [{ ...certificate, more: 1 }]],
  ])('VCI:M1 refuses %s', (_what, value) => {
    expect(issuerInfo.safeParse(value).success).toBe(false);
  });
});
