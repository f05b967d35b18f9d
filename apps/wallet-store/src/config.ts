import { microserviceVariables } from '@vestibule/process';
import {
  choiceSetting,
  defineConfiguration,
  hostListSetting,
  listSetting,
  optionalVariable,
  publicUrlSetting,
  purposeProxiesSetting,
  textSetting,
  variable,
} from '@vestibule/process';
import { publicJwkOf } from '@vestibule/vcdm';
import { z } from 'zod';

/** Fit for an HTTP header, and too long to be guessed. */
const apiKeySetting = () => z.string().regex(/^[\x21-\x7E]{32,512}$/, 'must be 32 to 512 visible ASCII characters');

const didKeyListSetting = () =>
  listSetting().refine((dids) => dids.every((did) => publicJwkOf(did) !== undefined), {
    message: 'must be a comma-separated list of did:key identifiers with P-256 keys',
  });

/** Every setting of the wallet store. */
export const walletStoreConfiguration = defineConfiguration({
  ...microserviceVariables,
  baseUrl: variable('BASE_URL', publicUrlSetting(), {
    category: 'Public addresses',
    description:
      'BASE_URL of the gateway. URLs of published schemas begin with it permanently, so do not change it after the first publication',
  }),
  contextFile: optionalVariable('JSON_LD_CONTEXTS_FILE', textSetting(), {
    category: 'W3C credentials',
    description:
      'JSON file that maps URLs to the JSON-LD contexts that credentials may use; contexts are never fetched',
  }),
  jsonSchemaFile: optionalVariable('JSON_SCHEMAS_FILE', textSetting(), {
    category: 'W3C credentials',
    description:
      'JSON file that maps URLs to the JSON Schemas (draft 2020-12) that vcdm_json_schemas may name; schemas are never fetched',
  }),
  unknownJsonSchemas: variable('UNKNOWN_JSON_SCHEMAS', choiceSetting(['refuse', 'accept']), {
    category: 'W3C credentials',
    description:
      'What happens to a draft whose vcdm_json_schemas name an unknown JSON Schema: refuse rejects it, accept issues it without validating it by that schema',
    default: 'refuse',
  }),
  credentialStatusHosts: optionalVariable('CREDENTIAL_STATUS_HOSTS', hostListSetting(), {
    category: 'W3C credentials',
    description:
      'Hosts (host or host:port) from which the Bitstring Status Lists of credentials are fetched, when they are imported or verified; without it credentials that name a list are refused',
  }),
  credentialStatusIssuers: optionalVariable('CREDENTIAL_STATUS_ISSUERS', didKeyListSetting(), {
    category: 'W3C credentials',
    description:
      'DIDs (did:key, P-256) whose status lists are accepted for credentials of any issuer; every other list must be signed by the issuer of the credential',
  }),
  egressDevelopmentHosts: optionalVariable('EGRESS_DEVELOPMENT_HOSTS', hostListSetting(), {
    category: 'W3C credentials',
    description:
      'Development only: hosts (host or host:port) whose status lists may be fetched over http and from private addresses',
  }),
  egressProxies: optionalVariable('EGRESS_PROXY', purposeProxiesSetting(['status-lists']), {
    category: 'W3C credentials',
    description:
      'Outbound HTTP proxy (CONNECT) for status lists, such as http://proxy.internal:3128; may contain a user and password. It resolves the names of hosts',
    secret: true,
  }),
  firstApiKey: optionalVariable('FIRST_API_KEY', apiKeySetting(), {
    category: 'API keys',
    description: 'API key (X-API-KEY) of the tenant "default", installed at startup; only its digest is stored',
    secret: true,
  }),
});
