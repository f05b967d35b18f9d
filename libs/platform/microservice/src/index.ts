export * from './run-microservice';
export * from './variables';
