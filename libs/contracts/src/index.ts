export * from './callback-events';
export * from './contract';
export * from './faults';
export * from './fields';
export * from './issuer';
export * from './issuer-status';
export * from './verifier';
export * from './wallet-store';
