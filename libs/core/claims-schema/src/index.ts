export * from './claim-values';
export * from './claims-schema';
export * from './derived-context';
export { contextTerms, jsonLdContext, type ContextOptions } from './json-ld-context';
export * from './json-schema';
export * from './meta-schema';
export { parseClaimsSchema, type Parsed } from './parse-claims-schema';
export * from './previous-version';
export * from './sd-jwt-type-metadata';
