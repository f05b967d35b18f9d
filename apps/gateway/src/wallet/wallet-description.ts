import type { Route } from '../http/routes';
import { documentHead, type ApiDescription } from '../http/openapi';
import { ISSUER_PARAMETER } from './issuer-api';
import { DISCOVERY } from './discovery-description';
import {
  answer,
  failure,
  inPath,
  json,
  JSON_TYPE,
  JWT,
  noContent,
  operation,
  ref,
  text,
  type Described,
} from './wallet-answers';
import { WALLET_SCHEMAS } from './wallet-forms';

const FORM = 'application/x-www-form-urlencoded';

const form = (name: string, required = true) => ({ required, content: { [FORM]: { schema: ref(name) } } });
const message = (name: string) => ({
  required: true,
  content: { [JSON_TYPE]: { schema: ref(name) }, [JWT]: { schema: { ...text, description: 'The same, encrypted' } } },
});

const STATE = inPath('state', 'The state of the request');
const FLOW = {
  name: 'flow_type',
  in: 'query',
  required: true,
  description: 'Which of the two URIs of the request brought the wallet here',
  schema: { type: 'string', enum: ['same-device', 'cross-device'] },
};
const DPOP = {
  name: 'DPoP',
  in: 'header',
  required: true,
  description: 'A DPoP proof (RFC 9449)',
  schema: text,
};
const REQUEST_OBJECT = answer('The signed request object', 'application/oauth-authz-req+jwt', text);
const WITH_TOKEN = [{ accessToken: [] }];

const PRESENTATION: Described = {
  'PresentationController.getRequestObject': operation({
    id: 'getRequestObject',
    tag: 'Presentation',
    summary: 'The request object (OpenID4VP 1.0 §5.10)',
    parameters: [STATE, FLOW],
    responses: {
      '200': REQUEST_OBJECT,
      '400': failure('flow_type is missing or neither of the two'),
      '404': failure('The request is unknown, ended or expired'),
    },
  }),
  'PresentationController.postForRequestObject': operation({
    id: 'postForRequestObject',
    tag: 'Presentation',
    summary: 'The request object for a wallet that says what it can do (OpenID4VP 1.0 §5.10)',
    parameters: [STATE, FLOW],
    body: form('RequestUriForm', false),
    responses: {
      '200': REQUEST_OBJECT,
      '400': failure('The form is not valid, or flow_type is missing or neither of the two'),
      '404': failure('The request is unknown, ended or expired'),
    },
  }),
  'PresentationController.submit': operation({
    id: 'submitPresentation',
    tag: 'Presentation',
    summary: 'The response of the wallet, encrypted (direct_post.jwt, OpenID4VP 1.0 §8.3.1)',
    parameters: [STATE],
    body: form('AuthorizationResponseForm'),
    responses: {
      '200': json('The response is accepted', 'AuthorizationResponseAnswer'),
      '400': failure('The response does not answer an open request, or it is not accepted'),
    },
  }),
};

const ISSUANCE: Described = {
  'IssuanceController.getOffer': operation({
    id: 'getCredentialOfferObject',
    tag: 'Issuance',
    summary: 'The credential offer (OpenID4VCI 1.0 §4.1.3)',
    parameters: [inPath('offerId', 'The id of the offer')],
    responses: { '200': json('The offer', 'CredentialOfferObject'), '404': failure('The offer is unknown or ended') },
  }),
  'IssuanceController.exchangeCode': operation({
    id: 'exchangePreAuthorizedCode',
    tag: 'Issuance',
    summary: 'Exchange the pre-authorized code for an access token (OpenID4VCI 1.0 §6)',
    parameters: [DPOP],
    body: form('TokenForm'),
    responses: {
      '200': json('The access token, bound to the DPoP key', 'TokenAnswer'),
      '400': failure('The code or the DPoP proof is not accepted'),
      '401': failure('Client authentication by `Authorization` failed'),
    },
  }),
  'IssuanceController.issueNonce': operation({
    id: 'issueNonce',
    tag: 'Issuance',
    summary: 'A nonce for key proofs (OpenID4VCI 1.0 §7)',
    responses: { '200': json('The nonce', 'NonceAnswer') },
  }),
  'IssuanceController.issueChallenge': operation({
    id: 'issueChallenge',
    tag: 'Issuance',
    summary: 'A challenge for a wallet attestation',
    responses: { '200': json('The challenge', 'ChallengeAnswer'), '404': failure('None are required') },
  }),
  'CredentialController.issueCredential': operation({
    id: 'issueCredential',
    tag: 'Issuance',
    summary: 'Request credentials (OpenID4VCI 1.0 §8)',
    parameters: [DPOP],
    security: WITH_TOKEN,
    body: message('CredentialRequest'),
    responses: credentialAnswers(),
  }),
  'CredentialController.issueDeferredCredential': operation({
    id: 'issueDeferredCredential',
    tag: 'Issuance',
    summary: 'Ask for credentials that were not ready (OpenID4VCI 1.0 §9)',
    parameters: [DPOP],
    security: WITH_TOKEN,
    body: message('DeferredCredentialRequest'),
    responses: credentialAnswers(),
  }),
  'CredentialController.acceptNotification': operation({
    id: 'acceptNotification',
    tag: 'Issuance',
    summary: 'Report what became of credentials (OpenID4VCI 1.0 §11)',
    parameters: [DPOP],
    security: WITH_TOKEN,
    body: { required: true, content: { [JSON_TYPE]: { schema: ref('NotificationRequest') } } },
    responses: {
      '204': noContent('The report is accepted'),
      '400': failure('The report is not valid'),
      '401': failure('The access token or the DPoP proof is not accepted'),
      '403': failure('The access token does not cover it'),
    },
  }),
};

function credentialAnswers() {
  const content = { [JSON_TYPE]: { schema: ref('CredentialAnswer') }, [JWT]: { schema: text } };
  return {
    '200': { description: 'The credentials, encrypted if the wallet asked for that', content },
    '202': {
      description: 'They are not ready: ask again',
      content: { ...content, [JSON_TYPE]: { schema: ref('DeferralAnswer') } },
    },
    '400': failure('The request or its key proofs are not accepted'),
    '401': failure('The access token or the DPoP proof is not accepted'),
    '403': failure('The access token does not cover it'),
  };
}

/** The same operation of an issuer identifier below that of the installation. */
function ofIssuer(operation: Described[string]): object {
  const {
    operationId,
    parameters = [],
    responses,
  } = operation as {
    operationId: string;
    parameters?: readonly object[];
    responses: Readonly<Record<string, object>>;
  };
  const issuer = inPath(ISSUER_PARAMETER, 'The last segment of the issuer identifier, where it is not `ISSUER_URL`');
  return {
    ...operation,
    operationId: `${operationId}OfIssuer`,
    parameters: [issuer, ...parameters],
    responses: { '404': failure('There is no issuer of this name'), ...responses },
  };
}

/** The paths of the routes that the listener has, each with its description. Throws a RangeError for one without. */
function pathsOf(routes: readonly Route[]): Record<string, Record<string, object>> {
  const described: Described = { ...PRESENTATION, ...ISSUANCE, ...DISCOVERY };
  const paths: Record<string, Record<string, object>> = {};
  for (const { path, method, controller, handler } of routes) {
    const name = `${controller.name}.${handler.name}`;
    const operation = described[name];
    if (!operation) throw new RangeError(`it is not said what ${name} does`);
    const place = path.replaceAll(/:(\w+)/g, '{$1}');
    const own = place.includes(`{${ISSUER_PARAMETER}}`) ? ofIssuer(operation) : operation;
    paths[place] = { ...paths[place], [method.toLowerCase()]: own };
  }
  return paths;
}

/** The description of what wallets and verifiers of issued credentials use on the public listener. */
export function describeWalletApi(version: string, routes: readonly Route[]): ApiDescription {
  const head = documentHead({
    title: 'Vestibule for wallets',
    about: 'The public listener: presentation (OpenID4VP 1.0), issuance (OpenID4VCI 1.0) and what both publish.',
    version,
    servers: [
      {
        url: 'https://{host}',
        description: 'The public listener, as `BASE_URL` and `ISSUER_URL` have it',
        variables: { host: { default: 'connector.vestibule.test', description: 'Host of `BASE_URL`, with its path' } },
      },
    ],
    tags: {
      Presentation: 'Requests that a wallet answers',
      Issuance: 'Offers that a wallet redeems',
      Discovery: 'Documents for everybody',
    },
  });
  return {
    ...head,
    security: [],
    paths: pathsOf(routes),
    components: {
      schemas: WALLET_SCHEMAS,
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'DPoP', description: 'The access token, with the scheme DPoP (RFC 9449)' },
      },
    },
  } as unknown as ApiDescription;
}
