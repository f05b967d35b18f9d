export * from './canonicalize';
export * from './contexts';
export * from './did-key';
export * from './documents';
export * from './failures';
export { addressIn } from './parse-documents';
export type { CredentialGraph, PresentationGraph, ProofGraph } from './read-graph';
export * from './sign-documents';
export * from './verify-documents';
