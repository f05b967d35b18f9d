import { createRequire } from 'node:module';
import { Openid4vciIssuer } from '@openid4vc/openid4vci';
import { zAuthorizationServerMetadata } from '@openid4vc/oauth2';
import type { JsonObject } from '@vestibule/foundation';
import { describeWithVectors, readJsonVector, readVector } from '@vestibule/testkit';
import {
  buildAuthorizationServerMetadata,
  buildCredentialOffer,
  buildIssuerMetadata,
  loadCredentialTypes,
  parseIssuerDisplay,
  requestEncryptionKeys,
  type IssuerMetadataInput,
} from './index';

interface Ajv {
  compile(schema: unknown): ((value: unknown) => boolean) & { errors?: unknown };
}
/** JSON Schema 2020-12 comes with a test dependency; the program itself does not use it. */
const { default: Ajv2020 } = createRequire(require.resolve('ajv-formats'))('ajv/dist/2020') as {
  default: new (options: object) => Ajv;
};
const schemaFolder = 'issuer/oidf-conformance-suite/json-schemas';
function schemaErrors(schema: string, value: unknown): unknown {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  const validate = ajv.compile(readJsonVector(`${schemaFolder}/${schema}.json`));
  return validate(value) ? [] : validate.errors;
}

const issuerUrl = 'https://c.example.com/issuer';
const rich = {
  vct: 'urn:example:pid:1',
  display: [
    {
      locale: 'en',
      name: 'PID',
      description: 'Person identification',
      rendering: {
        simple: {
          logo: { uri: 'https://x.example/l.png', alt_text: 'logo' },
          background_image: { uri: 'data:image/png;base64,AAAA' },
          background_color: '#000000',
          text_color: '#ffffff',
        },
      },
    },
  ],
  claims: [
    { path: ['given_name'], mandatory: true, sd: 'always', display: [{ locale: 'en', label: 'Given name' }] },
    { path: ['nationalities'], display: [{ locale: 'en', label: 'Nationalities' }] },
    { path: ['nationalities', null] },
    { path: ['degrees', null, 'name'], display: [{ locale: 'en', label: 'Degree' }] },
    { path: ['pair', 0] },
  ],
};
const types = loadCredentialTypes(
  [
    { configurationId: 'pid', bytes: Buffer.from(JSON.stringify(rich)) },
    { configurationId: 'bare', bytes: Buffer.from('{}') },
  ],
  issuerUrl,
);
const display = parseIssuerDisplay([
  { locale: 'en', name: 'Issuer', logo: { uri: 'https://x.example/i.svg', alt_text: 'us' } },
  { locale: 'de', name: 'Aussteller' },
]);
const key = requestEncryptionKeys([Buffer.alloc(32, 7)], new Date('2026-03-01T12:00:00Z')).published;
const encryption = { key, required: false };
const input: IssuerMetadataInput = { issuerUrl, types, batchSize: 10, proofTypes: ['jwt'], display, encryption };
const ANONYMOUS = { anonymous: true, attestation: false, challenge: true };
const ATTESTED = { anonymous: false, attestation: true, challenge: true };
const offer = buildCredentialOffer({
  issuerUrl,
  configurationId: 'pid',
  preAuthorizedCode: 'code',
  txCode: { inputMode: 'numeric', length: 6, description: 'from your letter' },
});

describe('buildIssuerMetadata', () => {
  const metadata = buildIssuerMetadata(input);
  const configurations = metadata['credential_configurations_supported'] as JsonObject;

  it('VCI:M2 VCI:M4 VCI:M5 VCI:U5 names the issuer as configured, with its endpoints', () => {
    expect(metadata).toMatchObject({
      credential_issuer: issuerUrl,
      credential_endpoint: `${issuerUrl}/oidc4vci/credential`,
      nonce_endpoint: `${issuerUrl}/oidc4vci/nonce`,
      deferred_credential_endpoint: `${issuerUrl}/oidc4vci/deferred_credential`,
      notification_endpoint: `${issuerUrl}/oidc4vci/notification`,
    });
  });

  it('VCI:M11 VCI:M12 VCI:M14 VCI:M15 VCI:M16 VCI:M18 says everything about a type', () => {
    expect(configurations['pid']).toEqual({
      format: 'dc+sd-jwt',
      vct: 'urn:example:pid:1',
      scope: 'pid',
      cryptographic_binding_methods_supported: ['jwk'],
      credential_signing_alg_values_supported: ['ES256'],
      proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256'] } },
      credential_metadata: {
        display: [
          {
            name: 'PID',
            locale: 'en',
            description: 'Person identification',
            logo: { uri: 'https://x.example/l.png', alt_text: 'logo' },
            background_image: { uri: 'data:image/png;base64,AAAA' },
            background_color: '#000000',
            text_color: '#ffffff',
          },
        ],
        claims: [
          { path: ['given_name'], mandatory: true, display: [{ name: 'Given name', locale: 'en' }] },
          { path: ['nationalities'], mandatory: false, display: [{ name: 'Nationalities', locale: 'en' }] },
        ],
      },
    });
  });

  it('VCI:M18 has no paths with null or an index, for which several wallets read none of it', () => {
    const bytes = Buffer.from(JSON.stringify({ claims: [{ path: ['nationalities', null] }, { path: ['pair', 1] }] }));
    const lists = loadCredentialTypes([{ configurationId: 'lists', bytes }], issuerUrl);
    const shown = buildIssuerMetadata({ ...input, types: lists })['credential_configurations_supported'] as JsonObject;
    expect(shown['lists']).not.toHaveProperty('credential_metadata');
  });

  it('VCI:M24 lists exactly the loaded types, and nothing empty', () => {
    expect(Object.keys(configurations)).toEqual(['pid', 'bare']);
    expect(configurations['bare']).not.toHaveProperty('credential_metadata');
    expect(buildIssuerMetadata({ ...input, display: [] })).not.toHaveProperty('display');
  });

  it('VCI:M6 shows a batch size of two or more, and none where there is none', () => {
    expect(metadata['batch_credential_issuance']).toEqual({ batch_size: 10 });
    expect(buildIssuerMetadata({ ...input, batchSize: undefined })).not.toHaveProperty('batch_credential_issuance');
    for (const batchSize of [1, 0, 2.5]) expect(() => buildIssuerMetadata({ ...input, batchSize })).toThrow(RangeError);
  });

  it('VCI:M3 VCI:M20 holds neither what is not built nor what drafts had', () => {
    for (const name of ['authorization_servers', 'signed_metadata', 'credentials_supported']) {
      expect(metadata).not.toHaveProperty(name);
    }
    expect(JSON.stringify(metadata)).not.toMatch(/c_nonce|vc\+sd-jwt|http:/);
  });

  it('VCI:M2 is accepted by another implementation', () => {
    const judge = new Openid4vciIssuer({ callbacks: {} as never });
    expect(judge.createCredentialIssuerMetadata(metadata as never)).toMatchObject({ credential_issuer: issuerUrl });
    const broken = { ...metadata, credential_endpoint: undefined } as never;
    expect(() => judge.createCredentialIssuerMetadata(broken)).toThrow();
  });
});

describe('parseIssuerDisplay', () => {
  const invalid = expect.objectContaining({ code: 'issuer_display_invalid' });
  it.each<[string, JsonObject[]]>([
    [
      'VCI:M10 a locale that occurs twice',
      [
        { locale: 'DE', name: 'x' },
        { locale: 'de', name: 'y' },
      ],
    ],
    ['VCI:M10 a logo without uri', [{ locale: 'de', name: 'x', logo: {} }]],
    ['VCI:M23 an http logo', [{ locale: 'de', name: 'x', logo: { uri: 'http://x.example' } }]],
    ['VCI:M10 a logo that is text', [{ locale: 'de', name: 'x', logo: 'https://x.example' }]],
    ['VCI:M10 an entry without name', [{ locale: 'de' }]],
    ['VCI:M10 an entry without locale', [{ name: 'x' }]],
  ])('refuses %s', (_what, value) => {
    expect(() => parseIssuerDisplay(value)).toThrow(invalid);
  });
});

describe('buildAuthorizationServerMetadata', () => {
  const metadata = buildAuthorizationServerMetadata(issuerUrl, ANONYMOUS);

  it('VCI:A1 VCI:A2 VCI:A3 VCI:A5 VCI:A6 VCI:A7 VCI:A10 says outright what its defaults would deny', () => {
    expect(metadata).toEqual({
      issuer: issuerUrl,
      token_endpoint: `${issuerUrl}/oidc4vci/token`,
      grant_types_supported: ['urn:ietf:params:oauth:grant-type:pre-authorized_code'],
      token_endpoint_auth_methods_supported: ['none'],
      'pre-authorized_grant_anonymous_access_supported': true,
      dpop_signing_alg_values_supported: ['ES256'],
      authorization_details_types_supported: ['openid_credential'],
    });
  });

  it('VCI:A5 VCI:A6 VCI:A8 VCI:A9 announces wallet attestation with its algorithms and its challenges', () => {
    const attestation = {
      client_attestation_signing_alg_values_supported: ['ES256', 'ES384', 'ES512'],
      client_attestation_pop_signing_alg_values_supported: ['ES256', 'ES384', 'ES512'],
    };
    expect(buildAuthorizationServerMetadata(issuerUrl, ATTESTED)).toEqual({
      ...metadata,
      token_endpoint_auth_methods_supported: ['attest_jwt_client_auth'],
      'pre-authorized_grant_anonymous_access_supported': false,
      ...attestation,
      challenge_endpoint: `${issuerUrl}/oidc4vci/challenge`,
    });
    expect(buildAuthorizationServerMetadata(issuerUrl, { ...ATTESTED, anonymous: true, challenge: false })).toEqual({
      ...metadata,
      token_endpoint_auth_methods_supported: ['none', 'attest_jwt_client_auth'],
      ...attestation,
    });
  });

  it('VCI:A2 is accepted by another implementation', () => {
    expect(zAuthorizationServerMetadata.safeParse(metadata).success).toBe(true);
    expect(zAuthorizationServerMetadata.safeParse({ ...metadata, token_endpoint: undefined }).success).toBe(false);
  });
});

describeWithVectors('the documents under the JSON Schemas of the conformance suite', () => {
  it('VCI:M2 the issuer metadata hold, and each required member is missed', () => {
    const metadata = buildIssuerMetadata(input);
    expect(schemaErrors('credential_issuer_metadata-1_0', metadata)).toEqual([]);
    for (const name of ['credential_issuer', 'credential_endpoint', 'credential_configurations_supported']) {
      const rest = Object.fromEntries(Object.entries(metadata).filter(([key]) => key !== name));
      expect(schemaErrors('credential_issuer_metadata-1_0', rest)).not.toEqual([]);
    }
  });

  it('VCI:A2 the authorization server metadata hold', () => {
    for (const offered of [ANONYMOUS, ATTESTED]) {
      const metadata = buildAuthorizationServerMetadata(issuerUrl, offered);
      expect(schemaErrors('oauth_authorization_server_metadata', metadata)).toEqual([]);
    }
  });

  it('VCI:M17 the issuer metadata hold with both proof types and attested keys', () => {
    const keyAttestation = { keyStorage: ['iso_18045_moderate'], userAuthentication: [] };
    const demanding = types.map((type) => ({ ...type, keyAttestation }));
    const metadata = buildIssuerMetadata({ ...input, types: demanding, proofTypes: ['jwt', 'attestation'] });
    expect(schemaErrors('credential_issuer_metadata-1_0', metadata)).toEqual([]);
  });

  it('VCI:O4 the offer holds, and one of an old draft does not', () => {
    expect(schemaErrors('credential_offer-1_0', offer)).toEqual([]);
    const stale = readJsonVector('issuer/haip-1.0-STALE-negative/credential_offer_sd_jwt_vc.json');
    expect(schemaErrors('credential_offer-1_0', stale)).not.toEqual([]);
  });

  it('VCI:Y1 the served Type Metadata hold', () => {
    for (const type of types) {
      expect(schemaErrors('type_metadata', JSON.parse(Buffer.from(type.bytes).toString('utf8')))).toEqual([]);
    }
  });

  it('VCI:Y10 the example of SD-JWT VC becomes issuer metadata that hold', () => {
    const example = JSON.parse(readVector('issuer/sd-jwt-vc/inline/example-type-metadata.json')) as JsonObject;
    delete example['extends'];
    delete example['extends#integrity'];
    const bytes = Buffer.from(JSON.stringify(example));
    const education = loadCredentialTypes([{ configurationId: 'education', bytes }], issuerUrl);
    const metadata = buildIssuerMetadata({ ...input, types: education });
    expect(schemaErrors('credential_issuer_metadata-1_0', metadata)).toEqual([]);
  });
});
