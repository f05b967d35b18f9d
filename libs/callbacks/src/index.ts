export * from './callback-store';
export * from './callback-table';
export * from './deliverer';
export * from './callback-variables';
export * from './delivery-policy';
export * from './enqueue-callback';
export { type CallbackTarget } from './post-callback';
export * from './webhook-signature';
