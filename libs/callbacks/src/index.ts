export { purgeDeadCallbacks } from './callback-store';
export * from './callback-table';
export * from './callback-target';
export * from './deliverer';
export * from './callback-variables';
export * from './delivery-policy';
export * from './enqueue-callback';
export * from './webhook-signature';
