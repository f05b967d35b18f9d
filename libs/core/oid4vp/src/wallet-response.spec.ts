import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { DomainError } from '@vestibule/foundation';
import { encryptJwe } from '@vestibule/testkit';
import { createFlowVariant, openWalletResponse, parseResponseForm } from './index';

const state = 'the-state';
const variants = [
  createFlowVariant('same-device', randomBytes),
  createFlowVariant('cross-device', randomBytes),
] as const;
const code = (expected: string) => expect.objectContaining({ code: expected });
const encrypt = (payload: unknown, variant: (typeof variants)[number] = variants[1], header = {}) =>
  encryptJwe(
    Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    { recipient: variant.publicJwk, kid: variant.kid, enc: 'A256GCM', random: randomBytes },
    header,
  );
const open = (jwe: string) => openWalletResponse(jwe, variants, state);

describe('parseResponseForm', () => {
  it('VP:G5 VP:G11 VP:H1 takes a compact JWE without state, and ignores unknown parameters', () => {
    const jwe = encrypt({ state, vp_token: {} });
    expect(
      parseResponseForm(
        [
          ['response', jwe],
          ['foo', '1'],
        ],
        state,
      ),
    ).toEqual({ kind: 'encrypted', jwe });
  });

  it('VP:G6 takes a plain error with the right state', () => {
    expect(
      parseResponseForm(
        [
          ['error', 'access_denied'],
          ['state', state],
        ],
        state,
      ),
    ).toEqual({
      kind: 'error',
      error: { code: 'access_denied' },
    });
  });

  it.each([
    [
      'VP:G5 a plain vp_token',
      [
        ['vp_token', '{}'],
        ['state', state],
      ],
    ],
    ['VP:G7 nothing', []],
    [
      'VP:G7 response and error',
      [
        ['response', 'a.b.c.d.e'],
        ['error', 'x'],
      ],
    ],
    [
      'VP:G7 a repeated response',
      [
        ['response', 'a.b.c.d.e'],
        ['response', 'a.b.c.d.e'],
      ],
    ],
    [
      'VP:I8 an error with a wrong state',
      [
        ['error', 'access_denied'],
        ['state', 'other'],
      ],
    ],
    ['VP:I8 an error without state', [['error', 'access_denied']]],
    ['VP:H2 a response that is no JWE', [['response', 'garbage']]],
    ['a JWS', [['response', 'a.b.c']]],
  ] as [string, [string, string][]][])('refuses %s and changes nothing', (_what, form) => {
    expect(() => parseResponseForm(form, state)).toThrow(code('invalid_request'));
  });

  it('VP:I5 VP:I9 keeps only the characters that an error code may have, and bounds its length', () => {
    const form: [string, string][] = [
      ['error', `acc\u0007ess"_\\den\u{1F600}ied${'x'.repeat(10_000)}`],
      ['state', state],
      ['error_description', '<script>\n'],
    ];
    const parsed = parseResponseForm(form, state);
    expect(parsed.kind === 'error' && parsed.error.code).toMatch(/^access_deniedx{115}$/);
    expect(parsed.kind === 'error' && parsed.error.description).toBe('<script>');
  });

  it('meets every form with a result or a typed error', () => {
    const name = fc.constantFrom('response', 'error', 'state', 'vp_token', 'error_description', '__proto__');
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.string({ unit: 'binary' })), { maxLength: 6 }), (form) => {
        try {
          parseResponseForm(form, state);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });
});

describe('openWalletResponse', () => {
  it('tells the flow by the key that opens the response', () => {
    const vpToken = { pid: ['x'] };
    expect(open(encrypt({ state, vp_token: vpToken }, variants[0]))).toEqual({
      kind: 'vp_token',
      flowType: 'same-device',
      vpToken,
    });
    expect(open(encrypt({ state, vp_token: vpToken }, variants[1]))).toMatchObject({ flowType: 'cross-device' });
  });

  it.each([{ cty: 'json' }, { typ: 'JWT' }, {}])('VP:H7 takes the header members %j (jwe:jwe-cty-json)', (header) => {
    expect(open(encrypt({ state, vp_token: {} }, variants[1], header))).toMatchObject({ kind: 'vp_token' });
  });

  it('VP:H0 VP:I7 demands nothing of JARM and ignores unknown parameters (jwe:jwe-unknown-parameter)', () => {
    const response = { state, vp_token: {}, presentation_submission: {}, iss: 'x', id_token: 'y', code: 'z' };
    expect(open(encrypt(response))).toMatchObject({ kind: 'vp_token' });
  });

  it.each(['1e999', '9007199254740993', '1795830542.12345678'])(
    'VP:I7 ignores an unknown parameter with a number that a double does not have: %s',
    (literal) => {
      const text = `{"state":"${state}","vp_token":{"pid":["x"]},"iat":${literal},"more":[{"a":${literal}}]}`;
      expect(open(encrypt(text))).toMatchObject({ kind: 'vp_token', vpToken: { pid: ['x'] } });
    },
  );

  it('VP:I3 gives the error of the wallet (jwe:jwe-error)', () => {
    expect(open(encrypt({ state, error: 'access_denied', error_description: 'no' }))).toEqual({
      kind: 'error',
      error: { code: 'access_denied', description: 'no' },
    });
  });

  it('VP:I3 VP:I7 takes error and vp_token that are null for absent, if the other is there', () => {
    const unset = { error: null, error_description: null };
    expect(open(encrypt({ state, vp_token: { pid: ['x'] }, ...unset }))).toMatchObject({ vpToken: { pid: ['x'] } });
    const refusal = { state, error: 'access_denied', error_description: null, vp_token: null };
    expect(open(encrypt(refusal))).toEqual({ kind: 'error', error: { code: 'access_denied' } });
    expect(open(encrypt({ state, vp_token: null }))).toMatchObject({ kind: 'vp_token', vpToken: null });
  });

  it.each([
    ['VP:H2 garbage', 'a.b.c.d.e', 'response_not_decryptable'],
    [
      'VP:Q1 a response for another request',
      encrypt({ state, vp_token: {} }, createFlowVariant('cross-device', randomBytes)),
      'response_not_decryptable',
    ],
    ['VP:H10 text (jwe:jwe-not-json)', encrypt('not json'), 'response_not_json'],
    ['VP:H10 an array (jwe:jwe-array-payload)', encrypt([]), 'response_not_json'],
    [
      'VP:H7 a nested JWS (jwe:jwe-nested-jws)',
      encrypt('e30.e30.AAAA', variants[1], { cty: 'JWT' }),
      'response_not_json',
    ],
    ['VP:H11 a repeated member', encrypt('{"state":"a","state":"the-state","vp_token":{}}'), 'response_not_json'],
    [
      'VP:I1 another state (jwe:jwe-state-mismatch)',
      encrypt({ state: 'other', vp_token: {} }),
      'response_state_mismatch',
    ],
    ['VP:I1 no state (jwe:jwe-state-missing)', encrypt({ vp_token: {} }), 'response_state_mismatch'],
    ['VP:I1 a state that is no string', encrypt({ state: [state], vp_token: {} }), 'response_state_mismatch'],
    [
      'VP:I4 error and vp_token (jwe:jwe-error-and-vp_token)',
      encrypt({ state, error: 'x', vp_token: {} }),
      'response_malformed',
    ],
    ['neither error nor vp_token', encrypt({ state }), 'response_malformed'],
    ['neither, as null', encrypt({ state, error: null }), 'response_malformed'],
    ['VP:I4 an empty error and vp_token', encrypt({ state, error: '', vp_token: {} }), 'response_malformed'],
    ['an error that is no string', encrypt({ state, error: {} }), 'response_malformed'],
  ])('refuses %s', (_what, jwe, expected) => {
    expect(() => open(jwe)).toThrow(code(expected));
  });
});

describe('the number of JSON values in a response', () => {
  it('VP:G10 is bounded, whatever else is right', () => {
    const right = { state, vp_token: { pid: ['x'] } };
    expect(open(encrypt({ ...right, other: Array.from({ length: 9_000 }, () => 0) })).kind).toBe('vp_token');
    const tooMany = { ...right, other: Array.from({ length: 10_000 }, () => 0) };
    expect(() => open(encrypt(tooMany))).toThrow(code('response_not_json'));
  });
});
