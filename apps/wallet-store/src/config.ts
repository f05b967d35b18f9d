import { microserviceVariables } from '@vestibule/microservice';
import { defineConfiguration, optionalVariable, textSetting } from '@vestibule/service';

/** Everything that the wallet store can be told. */
export const walletStoreConfiguration = defineConfiguration({
  ...microserviceVariables,
  firstApiKey: optionalVariable('FIRST_API_KEY', textSetting(), {
    category: 'API keys',
    description: 'An API key (X-API-KEY) of the tenant "default", installed at start; only its digest is stored',
    secret: true,
  }),
});
