export * from './deterministic';
export * from './fastest';
export * from './vectors';
export * from './test-size';
export * from './until';
