export * from './build-status-list';
export { statusFailure, STATUS_FAILURES, type StatusFailureCode } from './failures';
export * from './freshness';
export {
  MAX_STATUS_TOKEN_LENGTH,
  parseStatusListToken,
  STATUS_LIST_MEDIA_TYPE,
  STATUS_LIST_TOKEN_TYPE,
  type StatusListToken,
} from './parse-status-list-token';
export { indexesWith, readPublishedStatuses } from './published-statuses';
export * from './sign-status-list-token';
export * from './status-list';
export * from './status-reference';
export * from './verify-status-list-token';
