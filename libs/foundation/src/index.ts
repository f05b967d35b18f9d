export * from './base64url';
export * from './domain-error';
export * from './json';
export * from './merge-patch';
export * from './probable-name';
export * from './purity';
export * from './verification-failure';
export * from './version';
