export * from './callback-events';
export * from './callbacks';
export * from './contract';
export * from './faults';
export * from './fields';
export * from './issuer';
export * from './verifier';
export * from './wallet-store';
