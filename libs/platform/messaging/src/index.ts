export * from './answer';
export * from './asker';
export { type ConnectionOptions } from './connect';
export * from './nats-server';
