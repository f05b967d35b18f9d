export * from './deterministic';
export * from './encrypt-jwe';
export * from './fastest';
export * from './hostile-urls';
export * from './vectors';
export * from './test-size';
export * from './until';
export * from './python';
