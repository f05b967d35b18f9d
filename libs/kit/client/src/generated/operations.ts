// Written by `npm run docs` from docs/openapi. Do not edit.

export const MANAGEMENT_OPERATIONS = {
  "listPresentationRequests": {
    "method": "GET",
    "path": "/oidc4vp",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "createPresentationRequest": {
    "method": "POST",
    "path": "/oidc4vp",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "getPresentationRequest": {
    "method": "GET",
    "path": "/oidc4vp/{state}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "cancelPresentationRequest": {
    "method": "DELETE",
    "path": "/oidc4vp/{state}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "listCredentialOffers": {
    "method": "GET",
    "path": "/offers",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "createCredentialOffer": {
    "method": "POST",
    "path": "/offers",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "getCredentialOffer": {
    "method": "GET",
    "path": "/offers/{offerId}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "changeCredentialOffer": {
    "method": "PATCH",
    "path": "/offers/{offerId}",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "cancelCredentialOffer": {
    "method": "DELETE",
    "path": "/offers/{offerId}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "changeCredentialStatus": {
    "method": "PATCH",
    "path": "/offers/{offerId}/status",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "listCallbackKeys": {
    "method": "GET",
    "path": "/callbacks/keys",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "listCallbacks": {
    "method": "GET",
    "path": "/callbacks/{service}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "retryCallbacks": {
    "method": "POST",
    "path": "/callbacks/{service}/retry",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "testCallbacks": {
    "method": "POST",
    "path": "/callbacks/test",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "replayCallbacks": {
    "method": "POST",
    "path": "/callbacks/{service}/replay",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "replayCallback": {
    "method": "POST",
    "path": "/callbacks/{service}/{id}/replay",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "dropCallback": {
    "method": "DELETE",
    "path": "/callbacks/{service}/{id}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "retryCallback": {
    "method": "POST",
    "path": "/callbacks/{service}/{id}/retry",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "isLive": {
    "method": "GET",
    "path": "/health/live",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "isReady": {
    "method": "GET",
    "path": "/health/ready",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  }
} as const;

export const WALLET_CONTENT_OPERATIONS = {
  "EntityCreateV1": {
    "method": "POST",
    "path": "/api/wallet/v1/entity",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "WalletCreateV1": {
    "method": "POST",
    "path": "/api/wallet/v1/wallet",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "EntityListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/entities",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "WalletListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/wallets",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialGetV1": {
    "method": "GET",
    "path": "/api/wallet/v1/credential/{did}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/credentials",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialImportV1": {
    "method": "POST",
    "path": "/api/wallet/v1/credentials",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "PresentationGetV1": {
    "method": "GET",
    "path": "/api/wallet/v1/vp/{did}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "PresentationUpdateV1": {
    "method": "PATCH",
    "path": "/api/wallet/v1/vp/{did}",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "PresentationAbandonV1": {
    "method": "DELETE",
    "path": "/api/wallet/v1/vp/{did}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "PresentationListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/vp",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "PresentationCreateV1": {
    "method": "POST",
    "path": "/api/wallet/v1/vp",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "PresentationIssueV1": {
    "method": "POST",
    "path": "/api/wallet/v1/vp/{did}/issue",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "PresentationPresentV1": {
    "method": "POST",
    "path": "/api/wallet/v1/vp/{did}/present",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "SchemaCreate": {
    "method": "POST",
    "path": "/schemas",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "SchemaSearch": {
    "method": "POST",
    "path": "/schemas/search",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "PublishedSchemaSearch": {
    "method": "POST",
    "path": "/published-schemas/search",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "SchemaGet": {
    "method": "GET",
    "path": "/schemas/{id}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "SchemaUpdate": {
    "method": "PATCH",
    "path": "/schemas/{id}",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "SchemaPublish": {
    "method": "PATCH",
    "path": "/schemas/{id}/publish",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "DraftCreate": {
    "method": "POST",
    "path": "/drafts",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "DraftSearch": {
    "method": "POST",
    "path": "/drafts/search",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "DraftGet": {
    "method": "GET",
    "path": "/drafts/{id}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "DraftUpdate": {
    "method": "PATCH",
    "path": "/drafts/{id}",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "DraftAbandon": {
    "method": "DELETE",
    "path": "/drafts/{id}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "DraftIssue": {
    "method": "POST",
    "path": "/drafts/{id}/issue",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "GetCredentialClaimValues": {
    "method": "GET",
    "path": "/credentials/{id}/values",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialStatusGet": {
    "method": "GET",
    "path": "/credentials/{id}/status",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialStatusChange": {
    "method": "PATCH",
    "path": "/credentials/{id}/status",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  }
} as const;

export const PREVIOUS_WALLET_CONTENT_OPERATIONS = {
  "EntityCreateV1": {
    "method": "POST",
    "path": "/api/wallet/v1/entity",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "WalletCreateV1": {
    "method": "POST",
    "path": "/api/wallet/v1/wallet",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "EntityListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/entities",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "WalletListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/wallets",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialGetV1": {
    "method": "GET",
    "path": "/api/wallet/v1/credential/{did}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/credentials",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialImportV1": {
    "method": "POST",
    "path": "/api/wallet/v1/credentials",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "PresentationGetV1": {
    "method": "GET",
    "path": "/api/wallet/v1/vp/{did}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "PresentationUpdateV1": {
    "method": "PATCH",
    "path": "/api/wallet/v1/vp/{did}",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "PresentationAbandonV1": {
    "method": "DELETE",
    "path": "/api/wallet/v1/vp/{did}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "PresentationListV1": {
    "method": "GET",
    "path": "/api/wallet/v1/vp",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "PresentationCreateV1": {
    "method": "POST",
    "path": "/api/wallet/v1/vp",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "PresentationIssueV1": {
    "method": "POST",
    "path": "/api/wallet/v1/vp/{did}/issue",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "PresentationPresentV1": {
    "method": "POST",
    "path": "/api/wallet/v1/vp/{did}/present",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "SchemaCreate": {
    "method": "POST",
    "path": "/schemas",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "SchemaSearch": {
    "method": "POST",
    "path": "/schemas/search",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "PublishedSchemaSearch": {
    "method": "POST",
    "path": "/published-schemas/search",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "SchemaGet": {
    "method": "GET",
    "path": "/schemas/{id}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "SchemaUpdate": {
    "method": "PATCH",
    "path": "/schemas/{id}",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "SchemaPublish": {
    "method": "PATCH",
    "path": "/schemas/{id}/publish",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "DraftCreate": {
    "method": "POST",
    "path": "/drafts",
    "repeatable": true,
    "idempotencyKey": true,
    "ifMatch": false
  },
  "DraftSearch": {
    "method": "POST",
    "path": "/drafts/search",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "DraftGet": {
    "method": "GET",
    "path": "/drafts/{id}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "DraftUpdate": {
    "method": "PATCH",
    "path": "/drafts/{id}",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "DraftAbandon": {
    "method": "DELETE",
    "path": "/drafts/{id}",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "DraftIssue": {
    "method": "POST",
    "path": "/drafts/{id}/issue",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": true
  },
  "GetCredentialClaimValues": {
    "method": "GET",
    "path": "/credentials/{id}/values",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialStatusGet": {
    "method": "GET",
    "path": "/credentials/{id}/status",
    "repeatable": true,
    "idempotencyKey": false,
    "ifMatch": false
  },
  "CredentialStatusChange": {
    "method": "PATCH",
    "path": "/credentials/{id}/status",
    "repeatable": false,
    "idempotencyKey": false,
    "ifMatch": false
  }
} as const;

/** Each `code` that an operation has in the API descriptions; docs/errors.md has more: `method_not_allowed`, `vc_…`. */
export type ProblemCode =
  | "api_key_invalid"
  | "api_key_missing"
  | "api_version_gone"
  | "api_version_unknown"
  | "body_too_large"
  | "callback_not_found"
  | "callback_not_replayable"
  | "canonicalizer_busy"
  | "canonicalizer_failed"
  | "client_certificate_not_allowed"
  | "client_certificate_required"
  | "concurrent_change"
  | "contract_version_mismatch"
  | "credential_exists"
  | "credential_not_found"
  | "credential_not_issued"
  | "credential_offer_ended"
  | "credential_offer_not_deferred"
  | "credential_offer_not_found"
  | "credential_revocation_final"
  | "credential_without_status"
  | "database_not_writable"
  | "database_outcome_unknown"
  | "database_timeout"
  | "database_unavailable"
  | "draft_incomplete"
  | "draft_not_found"
  | "entity_not_found"
  | "foreign_page"
  | "idempotency_conflict"
  | "internal_error"
  | "invalid_json"
  | "invalid_request"
  | "json_schema_unknown"
  | "json_schema_violated"
  | "management_key_invalid"
  | "management_key_missing"
  | "management_token_invalid"
  | "management_token_keys_unavailable"
  | "message_too_large"
  | "presentation_not_found"
  | "presentation_request_ended"
  | "presentation_request_not_found"
  | "rate_limited"
  | "revision_mismatch"
  | "route_not_found"
  | "schema_not_found"
  | "schema_published"
  | "schema_version_outdated"
  | "schema_version_taken"
  | "scope_missing"
  | "search_timeout"
  | "service_timeout"
  | "service_unavailable"
  | "tenant_busy"
  | "transition_forbidden"
  | "unknown_credential_configuration"
  | "unsupported_media_type"
  | "vc_status_unavailable"
  | "wallet_not_found";
