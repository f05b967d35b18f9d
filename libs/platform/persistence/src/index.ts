export * from './idempotency';
export { type DatabaseOptions, type EntityClass, type MigrationClass } from './data-source';
export * from './database';
export { DatabaseFault, isUniqueViolation } from './database-errors';
export * from './identifier';
export * from './migrate';
export { type Query } from './prepared-query';
export * from './reseal';
export * from './sealed-columns';
