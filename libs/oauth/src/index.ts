export * from './authorization';
export * from './form';
export * from './htu';
export * from './nonce';
export * from './oauth-error';
export * from './proof-times';
export * from './verify-dpop-proof';
