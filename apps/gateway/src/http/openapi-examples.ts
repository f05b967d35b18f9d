/** An example of an operation's request body and answer. */
export interface OperationExample {
  readonly request?: object;
  readonly answer: object;
}

const TIMES = { created_at: '2026-03-01T12:00:00.000Z', expires_at: '2026-03-01T12:10:00.000Z' };
const STATE = 'VfIQd2nGkzqOCRAkcPDh9Q';
const OFFER = 'pJ9ycDnUUZeuyYsTwhmzQA';
const ENTITY = 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169';
const WALLET = 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv';
const RECORD = {
  Created: '2026-03-01T12:00:00.000Z',
  Updated: '2026-03-01T12:00:00.000Z',
  Revision: 1,
  MetaData: { Labels: {}, Annotations: {} },
};

const requestUri = (flow: string) =>
  'openid4vp://?client_id=x509_hash%3AUvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk&request_uri=' +
  `https%3A%2F%2Fconnector.example%2Foidc4vp%2F${STATE}%2Frequest%3Fflow_type%3D${flow}`;

const CONTENT = { State: 'issued', EntityDid: ENTITY, WalletDid: WALLET, HolderDid: ENTITY, ...RECORD };
const CREDENTIAL = {
  CredentialDid: 'did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu',
  IssuerDid: 'did:web:issuer.example',
  ...CONTENT,
  Types: ['VerifiableCredential', 'IdentityCard'],
};
const PRESENTATION = {
  PresentationDid: 'did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm',
  ...CONTENT,
  Types: ['VerifiablePresentation'],
};
const READY = { ready: true, checks: { postgres: true, nats: true } };

/** One example for each operation of the management listener. */
export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  createPresentationRequest: {
    request: {
      dcql_query: {
        credentials: [
          {
            id: 'card',
            format: 'dc+sd-jwt',
            meta: { vct_values: ['https://connector.example/oidc4vci/types/identity-card'] },
            claims: [{ path: ['family_name'] }],
          },
        ],
      },
      expires_in: 600,
      redirect_uri: 'https://shop.example/return',
    },
    answer: {
      state: STATE,
      same_device_request_uri: requestUri('same-device'),
      cross_device_request_uri: requestUri('cross-device'),
    },
  },
  getPresentationRequest: { answer: { state: STATE, status: 'PENDING', ...TIMES } },
  listPresentationRequests: {
    answer: [{ state: STATE, status: 'FULFILLED', ...TIMES, finished_at: '2026-03-01T12:01:00.000Z' }],
  },
  listCredentialOffers: { answer: [{ offer_id: OFFER, status: 'OFFER_CREATED', ...TIMES }] },
  createCredentialOffer: {
    request: {
      credential_configuration_id: 'identity-card',
      claims: { given_name: 'Erika', family_name: 'Mustermann' },
      tx_code: { input_mode: 'numeric', length: 6 },
    },
    answer: {
      offer_id: OFFER,
      credential_offer_uri:
        'openid-credential-offer://?credential_offer_uri=' +
        `https%3A%2F%2Fconnector.example%2Foidc4vci%2Foffers%2F${OFFER}`,
      tx_code_value: '493536',
    },
  },
  getCredentialOffer: { answer: { offer_id: OFFER, status: 'OFFER_CREATED', ...TIMES } },
  changeCredentialOffer: {
    request: { claims: { given_name: 'Erika', family_name: 'Mustermann' } },
    answer: { offer_id: OFFER, status: 'OFFER_CREATED', ...TIMES, deferral: 'ready' },
  },
  changeCredentialStatus: {
    request: { status: 'suspended' },
    answer: { offer_id: OFFER, status: 'suspended', credentials: 1 },
  },
  EntityCreateV1: { answer: { EntityDid: ENTITY, ...RECORD } },
  EntityListV1: { answer: [{ EntityDid: ENTITY, ...RECORD }] },
  WalletListV1: { answer: [{ WalletDid: WALLET, EntityDid: ENTITY, ...RECORD }] },
  WalletCreateV1: { answer: { WalletDid: WALLET, EntityDid: ENTITY, ...RECORD } },
  CredentialGetV1: { answer: { ...CREDENTIAL, Body: { type: ['VerifiableCredential', 'IdentityCard'] } } },
  CredentialListV1: { answer: [CREDENTIAL] },
  PresentationGetV1: { answer: { ...PRESENTATION, Body: { type: ['VerifiablePresentation'] } } },
  PresentationListV1: { answer: [PRESENTATION] },
  CredentialImportV1: {
    request: {
      Body: {
        '@context': ['https://www.w3.org/ns/credentials/v2'],
        id: CREDENTIAL.CredentialDid,
        type: CREDENTIAL.Types,
        issuer: ENTITY,
        credentialSubject: { id: ENTITY },
        proof: { type: 'DataIntegrityProof', cryptosuite: 'ecdsa-rdfc-2019' },
      },
      MetaData: { Labels: { tier: 'gold' } },
    },
    answer: CREDENTIAL,
  },
  PresentationCreateV1: {
    request: { CredentialDids: [CREDENTIAL.CredentialDid] },
    answer: { ...PRESENTATION, State: 'draft' },
  },
  PresentationUpdateV1: {
    request: { MetaData: { Labels: { tier: 'gold', draft: null } } },
    answer: { ...PRESENTATION, State: 'draft', Revision: 2 },
  },
  PresentationIssueV1: {
    request: { Challenge: 'q0Vh2bSu5E7VSmJwPoXbfA', Domain: 'https://shop.example' },
    answer: { ...PRESENTATION, Revision: 2, Body: { type: ['VerifiablePresentation'] } },
  },
  PresentationAbandonV1: { answer: { ...PRESENTATION, State: 'abandoned', Revision: 2 } },
  PresentationPresentV1: { answer: PRESENTATION },
  listCallbacks: {
    answer: [
      {
        id: 'AZygtGgAVfIQd2nGkzqOCRAkcPDh9Qab',
        service: 'verifier',
        subject: STATE,
        status: 'FULFILLED',
        state: 'waiting',
        attempts: 4,
        last_result: 'http_503',
        created_at: '2026-03-01T12:00:00.000Z',
        age_seconds: 31,
        next_attempt_at: '2026-03-01T12:00:38.000Z',
        expires_at: '2026-03-02T12:00:00.000Z',
      },
    ],
  },
  retryCallbacks: { answer: { retried: 12 } },
  retryCallback: { answer: { retried: 1 } },
  replayCallbacks: { answer: { replayed: 12, more: false } },
  replayCallback: { answer: { replayed: 1, more: false } },
  listCallbackKeys: {
    answer: [
      {
        service: 'verifier',
        keys: [{ scheme: 'v1' }, { scheme: 'v1a', public_key: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=' }],
      },
      { service: 'issuer', keys: [{ scheme: 'v1' }] },
    ],
  },
  testCallbacks: {
    request: { service: 'verifier' },
    answer: [
      {
        service: 'verifier',
        delivered: true,
        result: 'http_204',
        milliseconds: 41,
        webhook_id: 'AZygtGgAVfIQd2nGkzqOCRAkcPDh9Qab',
        signatures: ['v1'],
      },
    ],
  },
  isLive: { answer: { live: true } },
  isReady: {
    answer: { ready: true, version: '0.1.0', services: { verifier: READY, issuer: READY, 'wallet-store': READY } },
  },
};
