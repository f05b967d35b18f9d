import { exportPublicJwk } from '@vestibule/crypto';
import {
  AUDIENCE,
  createStage,
  expectFailure,
  issue,
  NONCE,
  NOW_SECONDS,
  present,
  sha256,
  type BindingOptions,
  type Stage,
} from './testing/presentation.fixture-spec';

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});

describe('one fault in the key binding', () => {
  it.each([
    ['VP:M5 another nonce', { claims: { nonce: `${NONCE}x` } }, 'key_binding_nonce'],
    ['VP:M5 a nonce in another case', { claims: { nonce: NONCE.toUpperCase() } }, 'key_binding_nonce'],
    ['VP:M5 no nonce', { claims: { nonce: undefined } }, 'key_binding_nonce'],
    ['VP:M4 another audience', { claims: { aud: 'x509_hash:other' } }, 'key_binding_audience'],
    ['VP:M4 the audience without prefix', { claims: { aud: AUDIENCE.slice(10) } }, 'key_binding_audience'],
    ['VP:M4 a list of audiences', { claims: { aud: [AUDIENCE] } }, 'key_binding_audience'],
    ['VP:M7 another sd_hash', { claims: { sd_hash: sha256('other') } }, 'key_binding_hash'],
    ['VP:M7 VP:M8 no sd_hash', { claims: { sd_hash: undefined, _sd_hash: 'x' } }, 'key_binding_hash'],
    ['VP:M6 no iat', { claims: { iat: undefined } }, 'key_binding_time'],
    ['VP:M6 an iat before the request', { claims: { iat: NOW_SECONDS - 361 } }, 'key_binding_time'],
    ['VP:M6 an iat in the future', { claims: { iat: NOW_SECONDS + 61 } }, 'key_binding_time'],
    ['VP:M9 an exp in the past', { claims: { exp: NOW_SECONDS - 61 } }, 'key_binding_time'],
    ['VP:M1 another typ', { header: { typ: 'JWT' } }, 'key_binding_type'],
    ['VP:M2 a critical header', { header: { crit: ['x'], x: 1 } }, 'key_binding_critical_header'],
    ['VP:F9 unsolicited hashes', { claims: { transaction_data_hashes: ['x'] } }, 'transaction_data_unexpected'],
  ] as [string, BindingOptions, string][])('%s fails', async (_title, binding, code) =>
    expectFailure(stage, await present(stage, {}, binding), ['key_binding', code]),
  );

  it('VP:J17 VP:K2 none at all fails', async () =>
    expectFailure(stage, await issue(stage), ['key_binding', 'key_binding_missing']));

  it('VP:M3 signed with another key fails', async () =>
    expectFailure(stage, await present(stage, {}, { key: stage.strangerKey }), [
      'key_binding',
      'key_binding_signature',
    ]));

  it('VP:M3 signed with another key that is in its header fails', async () => {
    const header = { jwk: exportPublicJwk(stage.strangerKey) };
    expectFailure(stage, await present(stage, {}, { key: stage.strangerKey, header }), [
      'key_binding',
      'key_binding_signature',
    ]);
  });

  it('VP:M7 a disclosure was taken away after signing fails', async () => {
    const [first = '', second = '', ...rest] = (await present(stage)).split('~');
    expect(second).not.toBe('');
    expectFailure(stage, [first, ...rest].join('~'), ['key_binding', 'key_binding_hash']);
  });

  it('VP:M7 taken from another credential fails', async () => {
    const kbJwt = (await present(stage, { claims: { other: true } })).split('~').at(-1) ?? '';
    expectFailure(stage, `${await issue(stage)}${kbJwt}`, ['key_binding', 'key_binding_hash']);
  });
});
