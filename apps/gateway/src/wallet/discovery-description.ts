import { answer, failure, inPath, JSON_TYPE, JWT, noContent, operation, text, type Described } from './wallet-answers';

const problem = (description: string) => answer(description, 'application/problem+json', { type: 'object' });

const document = (id: string, summary: string, type = JSON_TYPE) =>
  operation({ id, tag: 'Discovery', summary, responses: { '200': answer(summary, type, { type: 'object' }) } });

const published = (id: string, summary: string, type: string) =>
  operation({
    id,
    tag: 'Discovery',
    summary,
    parameters: ['tenant', 'slug', 'version'].map((name) => inPath(name, `The ${name} of the published schema`)),
    responses: {
      '200': answer(summary, type, { type: 'object' }),
      '404': problem('There is no such schema'),
    },
  });

/** Documents that everybody can read. */
export const DISCOVERY: Described = {
  'MetadataController.getCredentialIssuer': operation({
    id: 'getCredentialIssuerMetadata',
    tag: 'Discovery',
    summary: 'Credential Issuer Metadata (OpenID4VCI 1.0 §12.2)',
    responses: {
      '200': {
        description: 'The metadata, signed if `Accept` asks for `application/jwt`',
        content: { [JSON_TYPE]: { schema: { type: 'object' } }, [JWT]: { schema: text } },
      },
    },
  }),
  'MetadataController.getAuthorizationServer': document(
    'getAuthorizationServerMetadata',
    'Authorization Server Metadata (RFC 8414)',
  ),
  'MetadataController.getJwtVcIssuer': document('getJwtVcIssuerMetadata', 'JWT VC Issuer Metadata (SD-JWT VC §5)'),
  'SecurityTextController.getSecurityText': operation({
    id: 'getSecurityText',
    tag: 'Discovery',
    summary: 'Whom to notify of a vulnerability (RFC 9116)',
    responses: { '200': answer('The file', 'text/plain', text), '404': failure('The operator has set none') },
  }),
  'IssuanceController.getTypeMetadata': operation({
    id: 'getTypeMetadata',
    tag: 'Discovery',
    summary: 'Type Metadata of a credential type (SD-JWT VC §6)',
    parameters: [inPath('configurationId', 'The credential configuration')],
    responses: {
      '200': answer('The document', JSON_TYPE, { type: 'object' }),
      '404': failure('There is no such type'),
    },
  }),
  'StatusListsController.getStatusList': operation({
    id: 'getStatusList',
    tag: 'Discovery',
    summary: 'A status list (Token Status List §8)',
    parameters: [inPath('listId', 'The id of the list')],
    responses: {
      '200': answer('The signed list', 'application/statuslist+jwt', text),
      '304': noContent('It is the one with the etag of `If-None-Match`'),
      '404': failure('There is no such list'),
      '406': failure('`Accept` takes the CWT form alone, which is not offered'),
      '501': failure('`time` is not supported'),
    },
  }),
  'StatusListCredentialsController.get': operation({
    id: 'getStatusListCredential',
    tag: 'Discovery',
    summary: 'A status list of W3C credentials (Bitstring Status List 1.0 §2.2)',
    parameters: [inPath('tenant', 'The tenant of its issuer'), inPath('listId', 'The id of the list')],
    responses: {
      '200': answer('The signed list', 'application/vc', { type: 'object' }),
      '304': noContent('It is the one with the etag of `If-None-Match`'),
      '404': problem('There is no such list'),
    },
  }),
  'PublishedSchemasController.getSchema': published(
    'getPublishedSchema',
    'A published schema with its proof',
    'application/vc',
  ),
  'PublishedSchemasController.getContext': published(
    'getPublishedContext',
    'Its JSON-LD context',
    'application/ld+json',
  ),
  'PublishedSchemasController.getJsonSchema': published(
    'getPublishedJsonSchema',
    'Its JSON Schema (W3C vc-json-schema)',
    'application/schema+json',
  ),
  'PublishedSchemasController.getTypeMetadata': published(
    'getPublishedTypeMetadata',
    'Its Type Metadata (SD-JWT VC §6)',
    JSON_TYPE,
  ),
};
