export * from './answers';
export * from './asker';
export * from './bus-check';
export * from './bus-errors';
export * from './bus.module';
export { type ConnectionOptions } from './connect';
export { type NatsAccess, readNatsAccess } from './nats-access';
