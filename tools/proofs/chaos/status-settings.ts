/** For installations whose credentials are revoked: a list ends soon, and none is used past its end. */
export const STATUS_SETTINGS = {
  issuer: { STATUS_LIST_TTL_SECONDS: '30' },
  verifier: { STATUS_LIST_GRACE_SECONDS: '0' },
} as const;
