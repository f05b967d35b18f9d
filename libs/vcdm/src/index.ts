export * from './did-key';
export * from './document-loader';
export * from './documents';
export * from './failures';
export * from './sign-documents';
export * from './parse-documents';
export * from './verify-documents';
