import { API_VERSIONS, type ApiVersion } from '@vestibule/contracts';
import { CALLBACK_DESCRIPTIONS } from './backend/event-description';
import { schemaExamples } from './content/schema-api-examples';
import { formsOf } from './content/resource-description';
import { askForVersion } from './content/schema-api-description';
import { RouteTable } from './http/routes';
import { PublishedSchemasController } from './content/published-schemas.controller';
import { StatusListCredentialsController } from './content/status-list-credentials.controller';
import { WALLET_CONTROLLERS } from './wallet/wallet.module';
import { describePart, type ApiDocument, type ServerDescription } from './http/openapi';
import { EXAMPLES } from './http/openapi-examples';
import { describeWalletApi } from './wallet/wallet-description';

const MANAGEMENT: ServerDescription = {
  url: 'http://{management}',
  description: 'The management listener: internal, never exposed',
  variables: { management: { default: '127.0.0.1:8081', description: 'Host and port' } },
};

const PUBLIC: ServerDescription = {
  url: 'https://{host}',
  description: 'The public listener, as `BASE_URL` has it; only with `PUBLIC_WALLET_CONTENT`',
  variables: { host: { default: 'connector.vestibule.test', description: 'Host of `BASE_URL`, with its path' } },
};

/** What JSON Schema does not say of an optional member without spoiling the types of generated clients. */
const NULL_IS_ABSENT =
  '`null` of an optional member of a request counts as absent, except in merge patches and where any JSON may stand, such as `claims`.';

const MANAGEMENT_DOCUMENT: ApiDocument = {
  name: 'management',
  servedAt: 'openapi.json',
  describe: (app, version) =>
    describePart(app, {
      title: 'Vestibule connector',
      about: `Requests credentials from wallets and offers credentials to them; \`webhooks\` are the calls to your backend. Internal: never expose this listener. ${NULL_IS_ABSENT}`,
      version,
      servers: [MANAGEMENT],
      tags: {
        Verification: 'Presentation requests and their results',
        Issuance: 'Credential offers and the life of what was issued',
        Callbacks: 'Events that did not reach a backend, and the keys that sign them',
        Operations: 'Probes',
        Events: 'What is posted to the callback URL of a backend',
      },
      examples: EXAMPLES,
      webhooks: CALLBACK_DESCRIPTIONS,
    }),
};

/** The wallet content API v1 with one version of the schema and draft API. */
const contentDocument = (apiVersion: ApiVersion): ApiDocument => ({
  name: `wallet-content-${apiVersion}`,
  servedAt: `openapi-wallet-content-${apiVersion}.json`,
  describe(app) {
    const document = describePart(app, {
      title: 'Vestibule wallet content, schemas and drafts',
      about: `Entities, wallets and their content (v1); claims schemas and credential drafts (version ${apiVersion}). Every call needs the API key of a tenant. ${NULL_IS_ABSENT}`,
      version: apiVersion,
      servers: [PUBLIC, MANAGEMENT],
      tags: {
        'Wallet content': 'Entities, wallets, credentials and presentations (v1)',
        Schemas: 'Claims schemas and their publication',
        Drafts: 'Credentials before they are issued',
      },
      examples: { ...EXAMPLES, ...schemaExamples(apiVersion) },
      forms: formsOf(apiVersion),
    });
    askForVersion(document, apiVersion);
    return document;
  },
});

/** What the public listener has for wallets and for everybody. */
const PUBLIC_ROUTES = new RouteTable([
  ...WALLET_CONTROLLERS,
  PublishedSchemasController,
  StatusListCredentialsController,
]).all;

/** All descriptions; each is served by the management listener and written by `npm run docs`. */
export const API_DOCUMENTS: readonly ApiDocument[] = [
  MANAGEMENT_DOCUMENT,
  ...API_VERSIONS.map(contentDocument),
  {
    name: 'public',
    servedAt: 'openapi-public.json',
    describe: (_app, version) => describeWalletApi(version, PUBLIC_ROUTES),
  },
];

/** What the page for readers offers: every description, by the name of its file. */
export const describedApis = () => API_DOCUMENTS.map(({ name, servedAt }) => ({ name, url: servedAt }));
