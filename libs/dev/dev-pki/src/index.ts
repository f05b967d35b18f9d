export * from './certificate-authority';
export { type ExtensionOptions, keyIdentifier, type KeyUsageName, type RawExtension } from './certificate-extensions';
export * from './development-pki';
export { createPrivateKeyOf, type KeyType, type SignatureHash } from './key-pair';
export * from './pem';
export * from './revocation-list';
export * from './trusted-list';
