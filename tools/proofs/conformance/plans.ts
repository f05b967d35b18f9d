import { createBackend, createManagement, type Stack } from '@vestibule/dev-stack';
import { until } from '@vestibule/testkit';
import { KNOWN_OF_ISSUERS, KNOWN_WITHOUT_ENCRYPTION, type Known } from './judgement';
import type { Exposed } from './suite';
import { CARD_TYPE, type World } from './world';

/** What the backend and the user do for one module. */
interface Actor {
  act(exposed: Exposed): Promise<void>;
  /** What the backend was told in the end; undefined for issuers. */
  verdict(): Promise<string | undefined>;
}

/** A plan of the suite, in the variant that fits. */
export interface PlanOfSuite {
  readonly title: string;
  readonly name: string;
  readonly variant: object;
  readonly known: readonly Known[];
  config(world: World): object;
  actor(stack: Stack): Actor;
}

/** Calls an address of the suite with the parameters of a wallet's URI, as a browser does that follows it. */
async function follow(address: string, uri: string): Promise<void> {
  await fetch(`${address}?${uri.slice(uri.indexOf('?') + 1)}`, { redirect: 'manual' });
}

const QUERY = {
  credentials: [
    {
      id: 'pid',
      format: 'dc+sd-jwt',
      meta: { vct_values: ['urn:eudi:pid:1'] },
      claims: [{ path: ['given_name'] }, { path: ['family_name'] }],
    },
  ],
};

function presenting(stack: Stack): Actor {
  const backend = createBackend(stack);
  const management = createManagement(stack.managementUrl);
  let state: string | undefined;
  return {
    async act({ authorization_endpoint }) {
      if (state !== undefined || authorization_endpoint === undefined) return;
      const body = { dcql_query: QUERY, redirect_uri: 'https://backend.example/return' };
      const made = (await backend.create('/oidc4vp', body)) as Readonly<Record<string, string>>;
      state = made['state'] ?? '';
      await follow(authorization_endpoint, made['same_device_request_uri'] ?? '');
    },
    async verdict() {
      let status: unknown;
      await until(async () => {
        status = (await management('GET', `/oidc4vp/${state}`)).body['status'];
        return status !== 'PENDING';
      });
      return String(status);
    },
  };
}

const OFFER = { credential_configuration_id: CARD_TYPE, claims: { holder: 'Ada' }, tx_code: {} };

function offering(stack: Stack): Actor {
  const backend = createBackend(stack);
  let code = '';
  return {
    async act({ tx_code_endpoint, credential_offer_endpoint }) {
      if (tx_code_endpoint !== undefined && code !== '') {
        await fetch(tx_code_endpoint.replace('your_tx_code', code), { redirect: 'manual' });
        code = '';
      } else if (tx_code_endpoint === undefined && credential_offer_endpoint !== undefined) {
        const made = (await backend.create('/offers', OFFER)) as Readonly<Record<string, string>>;
        code = made['tx_code_value'] ?? '';
        await follow(credential_offer_endpoint, made['credential_offer_uri'] ?? '');
      }
    },
    verdict: () => Promise.resolve(undefined),
  };
}

/** The suite takes its own page, which it fetches itself, for the screenshot that a person would upload. */
const EVIDENCE = 'https://*/test/a/*/verification-evidence';
const COMMAND = ['wait', 'xpath', '//*', 10, '.*Deferred verification evidence.*', 'update-image-placeholder'];

const verifierPlan = (title: string, name: string, variant: object): PlanOfSuite => ({
  title,
  name,
  variant: { credential_format: 'sd_jwt_vc', response_mode: 'direct_post.jwt', ...variant },
  known: [],
  config: ({ root, credentialKey }) => ({
    alias: 'vestibule-verifier',
    client: { request_object_trust_anchor_pem: root },
    credential: { signing_jwk: credentialKey },
    browser: [{ match: EVIDENCE, tasks: [{ task: 'evidence', match: EVIDENCE, commands: [COMMAND] }] }],
  }),
  actor: presenting,
});

const issuerPlan = (encryption: 'plain' | 'encrypted'): PlanOfSuite => ({
  title: `issuer, pre-authorized code, responses ${encryption}`,
  name: 'oid4vci-1_0-issuer-test-plan',
  variant: {
    fapi_profile: 'vci',
    client_auth_type: 'client_attestation',
    sender_constrain: 'dpop',
    fapi_request_method: 'unsigned',
    vci_grant_type: 'pre_authorization_code',
    vci_authorization_code_flow_variant: 'issuer_initiated',
    credential_format: 'sd_jwt_vc',
    vci_credential_encryption: encryption,
    authorization_request_type: 'simple',
  },
  known: encryption === 'plain' ? [...KNOWN_OF_ISSUERS, KNOWN_WITHOUT_ENCRYPTION] : KNOWN_OF_ISSUERS,
  config: ({ root, attestationKey, stack }) => ({
    alias: 'vestibule-issuer',
    vci: { credential_issuer_url: stack.issuerUrl, credential_configuration_id: CARD_TYPE },
    client: { client_id: 'https://one.wallet.example' },
    client2: { client_id: 'https://two.wallet.example' },
    client_attestation: {
      issuer: 'https://provider.example',
      attester_jwks: { keys: [{ ...attestationKey, kid: 'wallets' }] },
      key_attestation_jwks: { keys: [{ ...attestationKey, kid: 'keys' }] },
    },
    credential: { trust_anchor_pem: root, status_list_trust_anchor_pem: root },
  }),
  actor: offering,
});

/** All that fit. */
export const PLANS: readonly PlanOfSuite[] = [
  verifierPlan('verifier, HAIP', 'oid4vp-1final-verifier-haip-test-plan', {}),
  verifierPlan('verifier, plain', 'oid4vp-1final-verifier-test-plan', {
    vp_profile: 'plain_vp',
    client_id_prefix: 'x509_hash',
    request_method: 'request_uri_signed',
  }),
  issuerPlan('plain'),
  issuerPlan('encrypted'),
];
