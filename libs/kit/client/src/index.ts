export { Api } from './api';
export { CallbackError, type CallbackErrorCode } from './callback-error';
export { createClient, type VestibuleClient } from './client';
export { type Offers, type PresentationRequests, type WaitOptions } from './connector';
export {
  ArgumentError,
  ConnectionError,
  ProblemError,
  UnexpectedResponseError,
  VestibuleError,
  type Fault,
  type Problem,
} from './errors';
export { type IssuanceEvent, type PresentedCredentialsEvent, type TestEvent, type TypedEvent } from './events';
export { type ProblemCode } from './generated/operations';
export {
  type BodyOf,
  type InputOf,
  type ItemOf,
  type ManagementOperations,
  type PreviousWalletContentOperations,
  type QueryOf,
  type ResultOf,
  type WalletContentOperations,
} from './operation-types';
export {
  type CallOptions,
  type ClientOptions,
  type Fetch,
  type FetchRequest,
  type FetchResponse,
  type Key,
} from './options';
export { RepeatedCursorError } from './pages';
export { crossDeviceResult, sameDeviceResult, type FulfilledEvent } from './results';
export { verifyCallback, type CallbackHeaders, type VerifiedCallback, type VerifyOptions } from './verify-callback';
export { type Credentials, type Drafts, type Presentations, type Schemas, type WalletContent } from './wallet-content';
