import { microserviceVariables } from '@vestibule/process';
import {
  choiceSetting,
  defineConfiguration,
  optionalVariable,
  publicUrlSetting,
  textSetting,
  variable,
} from '@vestibule/process';
import { z } from 'zod';

/** Fit for an HTTP header, and too long to be guessed. */
const apiKeySetting = () => z.string().regex(/^[\x21-\x7E]{32,512}$/, 'must be 32 to 512 visible ASCII characters');

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
  firstApiKey: optionalVariable('FIRST_API_KEY', apiKeySetting(), {
    category: 'API keys',
    description: 'API key (X-API-KEY) of the tenant "default", installed at startup; only its digest is stored',
    secret: true,
  }),
});
