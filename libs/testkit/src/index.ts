export * from './deterministic';
export * from './vectors';
