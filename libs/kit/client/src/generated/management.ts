// Written by `npm run docs` from docs/openapi. Do not edit.

export interface paths {
    "/oidc4vp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Requests with status and timestamps, newest first, never credential data */
        get: operations["listPresentationRequests"];
        put?: never;
        /** Request credentials from a wallet */
        post: operations["createPresentationRequest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/oidc4vp/{state}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Status and timestamps of a request, never credential data */
        get: operations["getPresentationRequest"];
        put?: never;
        post?: never;
        /** Withdraw an open request, which ends as EXPIRED */
        delete: operations["cancelPresentationRequest"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/offers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Offers with status and timestamps, newest first, never claims */
        get: operations["listCredentialOffers"];
        put?: never;
        /** Offer a credential to a wallet */
        post: operations["createCredentialOffer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/offers/{offerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Status and timestamps of an offer, never claims */
        get: operations["getCredentialOffer"];
        put?: never;
        post?: never;
        /** Cancel an open offer, which ends as FAILED */
        delete: operations["cancelCredentialOffer"];
        options?: never;
        head?: never;
        /** Supply the claims of a deferred offer, or deny it */
        patch: operations["changeCredentialOffer"];
        trace?: never;
    };
    "/offers/{offerId}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Revoke, suspend or restore all credentials of an offer; revocation is final */
        patch: operations["changeCredentialStatus"];
        trace?: never;
    };
    "/callbacks/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The keys that sign callbacks: the public Ed25519 keys of verifier and issuer, no secret */
        get: operations["listCallbackKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{service}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Pending events or dead letters of verifier or issuer, oldest first, never with claims */
        get: operations["listCallbacks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{service}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make all pending events of a service due now */
        post: operations["retryCallbacks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Post a signed event with the status TEST to the receiver, once, and return what became of it */
        post: operations["testCallbacks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{service}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rebuild the dead letters of a service that carried no claims and send them again; OFFER_CREATED excluded */
        post: operations["replayCallbacks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{service}/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rebuild a dead letter that carried no claims and send it again, under the same webhook-id */
        post: operations["replayCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{service}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Give up on a pending event: it becomes a dead letter, and what waited for it is due */
        delete: operations["dropCallback"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{service}/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a pending event due now, with the others of its request or offer; a dead letter no longer has a payload */
        post: operations["retryCallback"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The gateway is running */
        get: operations["isLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every service is ready: Postgres, NATS, migrations, keys; 503 otherwise, and while this gateway shuts down */
        get: operations["isReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    presentedCredentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * How a presentation request ended
         * @description Posted to the callback URL. Delivery is at least once: remove duplicates by `webhook-id`, and verify the signature over the raw body.
         */
        post: operations["receivePresentedCredentialsEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    issuance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What became of a credential offer
         * @description Posted to the callback URL. Delivery is at least once: remove duplicates by `webhook-id`, and verify the signature over the raw body.
         */
        post: operations["receiveIssuanceEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    test: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A test of the callback URL
         * @description Posted to the callback URL. Delivery is at least once: remove duplicates by `webhook-id`, and verify the signature over the raw body.
         */
        post: operations["receiveTestEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        CallbackKey: {
            /**
             * @description `v1`: a shared secret, never shown; `v1a`: an Ed25519 key
             * @enum {string}
             */
            scheme: "v1" | "v1a";
            /** @description `whpk_…`, with which a receiver verifies; only of `v1a` */
            public_key?: string;
        };
        CallbackKeys: {
            /** @enum {string} */
            service: "verifier" | "issuer";
            keys: components["schemas"]["CallbackKey"][];
        };
        CallbackReplay: {
            /** @description Dead letters that were rebuilt and are due now */
            replayed: number;
            /** @description True when there are further ones: call again */
            more: boolean;
        };
        CallbackRetry: {
            /** @description Events that are due now */
            retried: number;
        };
        CallbackTest: {
            /** @enum {string} */
            service: "verifier" | "issuer";
            /** @description True when the receiver answered with 2xx */
            delivered: boolean;
            /** @description Class of the result: `http_204`, `timeout`, `tls_error`, … */
            result: string;
            milliseconds: number;
            webhook_id: string;
            /** @description Schemes of its signatures; empty without a secret */
            signatures: ("v1" | "v1a")[];
        };
        Check: {
            check: string;
            /** @description The rule, with its document */
            section: string;
            /** @description The id of the credential query */
            credential?: string;
            /** @enum {string} */
            outcome: "passed" | "failed";
            milliseconds: number;
            /** @description Number of disclosures that were not requested */
            surplusClaims?: number;
            /** @description Number of presentations that were not requested */
            surplusCredentials?: number;
            /** @description Only for a failure */
            code?: string;
            /** @description How to fix a failure */
            remedy?: string;
            /** @description A code for something unusual about a check that passed: `status_list_past_ttl` */
            note?: string;
        };
        ClaimsQuery: {
            /** @description Needed for claim_sets */
            id?: string;
            /** @description Names a claim; null stands for all elements of an array, an integer for one */
            path: (string | number | null)[];
            /** @description The claim must have one of these values */
            values?: (string | number | boolean)[];
        } & {
            [key: string]: unknown;
        };
        CredentialOffer: {
            /** @description A credential type of this issuer */
            credential_configuration_id: string;
            /** @description Claims by name; the standard SD-JWT VC claims are added */
            claims?: {
                [key: string]: unknown;
            };
            /** @description Requires a transaction code, which you send to the user over a different channel */
            tx_code?: {
                /**
                 * @description Default: numeric
                 * @enum {string}
                 */
                input_mode?: "numeric" | "text";
                /** @description Characters in the code. Default: 6 */
                length?: number;
                description?: string;
            };
            /** @description Seconds until the offer expires. Default: 300 */
            expires_in?: number;
            /** @description The wallet to invoke, instead of the configured one: `openid-credential-offer://`, `haip-vci://` or the https URL (universal link, app link) of a wallet. `credential_offer_uri` begins with it */
            credential_offer_endpoint?: string;
            /** @description Receives the events of this offer instead of the configured receiver: an absolute URL (RFC 3986) in normal form at an allowed origin */
            callback_url?: string;
            /** @description You supply the claims later, with PATCH /offers/{offer_id}; mandatory ones may be missing until then. Default: false */
            deferred?: boolean;
        };
        /** @description Exactly one of its members */
        CredentialOfferChange: {
            /** @description Claims by name; the standard SD-JWT VC claims are added */
            claims?: {
                [key: string]: unknown;
            };
            /**
             * @description Ends the offer as FAILED: there will be no credential
             * @enum {string}
             */
            status?: "denied";
        };
        CredentialOfferCreated: {
            /** @description Correlation token: offerId in the callbacks. A secret while the offer is open: it leads to the offer */
            offer_id: string;
            /** @description QR code or deep link; whoever redeems it first gets the credential */
            credential_offer_uri: string;
            /** @description Only if a transaction code was requested */
            tx_code_value?: string;
        };
        CredentialOfferView: {
            offer_id: string;
            /** @enum {string} */
            status: "OFFER_CREATED" | "ISSUED" | "FAILED" | "EXPIRED";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            finished_at?: string;
            /**
             * @description Whether the claims of an offer with deferred: true are still missing; absent if it ended without
             * @enum {string}
             */
            deferral?: "waiting" | "ready";
            /**
             * Format: date-time
             * @description When the credentials expire, if the certificates of the issuer expire before the validity of the type ends
             */
            validity_shortened_to?: string;
            /** @description Only after ISSUED: whether the credential reached the wallet */
            delivery?: {
                /**
                 * @description unconfirmed: it is not known that a response was sent completely. handed_over: it was. repeated: it was sent again to a wallet that asked again. accepted: the wallet says that it has the credential
                 * @enum {string}
                 */
                state: "unconfirmed" | "handed_over" | "repeated" | "accepted";
                /**
                 * Format: date-time
                 * @description When the response had been sent completely
                 */
                handed_over_at?: string;
                /**
                 * Format: date-time
                 * @description When a repetition of the response had been sent completely
                 */
                repeated_at?: string;
                /**
                 * Format: date-time
                 * @description When the wallet sent credential_accepted
                 */
                accepted_at?: string;
            };
            /** @description The last notification of the wallet about its credentials, if any */
            notification?: {
                /** @enum {string} */
                event: "credential_accepted" | "credential_failure" | "credential_deleted";
                /** Format: date-time */
                received_at: string;
            };
        };
        CredentialQuery: {
            /** @description The key of the credentials in the callback */
            id: string;
            /** @enum {string} */
            format: "dc+sd-jwt";
            meta: {
                /** @description Accepted credential types */
                vct_values: string[];
            } & {
                [key: string]: unknown;
            };
            /** @description Several credentials may match; default false */
            multiple?: boolean;
            /** @description Default true: the wallet proves its key */
            require_cryptographic_holder_binding?: boolean;
            trusted_authorities?: ({
                /** @enum {string} */
                type: "aki";
                values: string[];
            } & {
                [key: string]: unknown;
            })[];
            /** @description Absent: no selectively disclosable claim */
            claims?: components["schemas"]["ClaimsQuery"][];
            claim_sets?: string[][];
        } & {
            [key: string]: unknown;
        };
        CredentialStatus: {
            /**
             * @description Status of all credentials of the offer, in upper or lower case; revocation is final
             * @enum {string}
             */
            status: "valid" | "suspended" | "revoked";
        };
        CredentialStatusChanged: {
            offer_id: string;
            /** @enum {string} */
            status: "valid" | "suspended" | "revoked";
            /** @description Number of credentials, all of which now have this status */
            credentials: number;
        };
        /** @description Which credentials and claims are requested (OpenID4VP 1.0 §6) */
        DcqlQuery: {
            credentials: components["schemas"]["CredentialQuery"][];
            credential_sets?: ({
                options: string[][];
                required?: boolean;
            } & {
                [key: string]: unknown;
            })[];
        } & {
            [key: string]: unknown;
        };
        FulfilledEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "FULFILLED";
            state: string;
            /** @description Set for a same-device presentation, which counts only when the browser session that began the request brings this code to redirect_uri */
            responseCode?: string;
            credentials: {
                [key: string]: components["schemas"]["VerifiedCredential"][];
            };
            /** @description Absent with CALLBACK_DATA=minimal */
            credentialsRaw?: {
                [key: string]: components["schemas"]["RawCredential"][];
            };
        };
        IssuanceEvent: components["schemas"]["OfferCreatedEvent"] | components["schemas"]["IssuedEvent"] | components["schemas"]["OfferFailedEvent"] | components["schemas"]["OfferExpiredEvent"];
        IssuedEvent: {
            eventId: string;
            offerId: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "ISSUED";
        };
        OfferCreatedEvent: {
            eventId: string;
            offerId: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "OFFER_CREATED";
        };
        OfferExpiredEvent: {
            eventId: string;
            offerId: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "EXPIRED";
        };
        OfferFailedEvent: {
            eventId: string;
            offerId: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "FAILED";
            errorDetails: string;
        };
        PresentationRequest: {
            dcql_query: components["schemas"]["DcqlQuery"];
            /** @description Seconds until the request expires. Default: 600 */
            expires_in?: number;
            /** @description Transaction data (OpenID4VP 1.0 §5.1): base64url strings, passed on unchanged, or objects, encoded once */
            transaction_data?: (string | components["schemas"]["TransactionData"])[];
            /** @description Where the browser returns after a successful same-device presentation: an absolute URL (RFC 3986) in normal form, without fragment and user information. A response_code parameter is added, so it must not have one: compare it with responseCode of the event for the state in the session of this browser */
            redirect_uri?: string;
            /** @description The wallet to invoke, instead of the configured one: `openid4vp://`, `haip-vp://`, `eudi-openid4vp://` or the https URL (universal link, app link) of a wallet. The URIs of the answer begin with it */
            authorization_endpoint?: string;
            /** @description In whose name the request is made: a name in the file of relying parties, whose access certificate and registrations it gets. By default, the relying party of the installation */
            relying_party?: string;
            /** @description The registration that the request is made under: its `id` in the registration file, or the `intended_use_id` of its certificate. Wallets receive it in `verifier_info`. By default, the default of that file */
            intended_use?: string;
            /** @description Receives the events of this request instead of the configured receiver: an absolute URL (RFC 3986) in normal form at an allowed origin */
            callback_url?: string;
        };
        PresentationRequestCreated: {
            /** @description Correlation token: the same in the callback. Keep it in the session of the browser: wallets and onlookers see it, so it must not be enough to get a result */
            state: string;
            /** @description Deep link for a wallet on the same device. Set `redirect_uri`, or nothing binds the result to a browser */
            same_device_request_uri: string;
            /** @description Show it as a QR code, if an unknown person may answer: whoever scans it need not be at the screen */
            cross_device_request_uri: string;
        };
        PresentationRequestItem: {
            state: string;
            /** @enum {string} */
            status: "PENDING" | "FULFILLED" | "REJECTED" | "EXPIRED" | "PROCESSING_ERROR" | "VERIFICATION_FAILED";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            finished_at?: string;
        };
        PresentationRequestView: {
            state: string;
            /** @enum {string} */
            status: "PENDING" | "FULFILLED" | "REJECTED" | "EXPIRED" | "PROCESSING_ERROR" | "VERIFICATION_FAILED";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            finished_at?: string;
            /** @description The decision record of an answered request */
            checks?: components["schemas"]["Check"][];
        };
        PresentedCredentialsEvent: components["schemas"]["FulfilledEvent"] | components["schemas"]["RejectedEvent"] | components["schemas"]["ProcessingErrorEvent"] | components["schemas"]["VerificationFailedEvent"] | components["schemas"]["RequestExpiredEvent"];
        Problem: {
            /** @example urn:vestibule:error:invalid_request */
            type: string;
            /** @example The request is not valid */
            title: string;
            /** @example 400 */
            status: number;
            /** @example the body is not valid */
            detail: string;
            /**
             * @description Stable: one of the documented codes
             * @example invalid_request
             */
            code: string;
            /**
             * @description Every fault in the input
             * @example [
             *       {
             *         "path": "expiresIn",
             *         "message": "is not a known member; did you mean expires_in?"
             *       }
             *     ]
             */
            errors?: {
                path: string;
                message: string;
            }[];
            /** @description The request id, as in every log line of this request */
            instance: string;
        };
        ProcessingErrorEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "PROCESSING_ERROR";
            state: string;
            errorDetails: string;
        };
        RawCredential: {
            /** @description Padded base64 of the JSON of the processed SD-JWT payload */
            claims: string;
            issuer: string;
            /** Format: date-time */
            validFrom?: string;
            /** Format: date-time */
            validUntil?: string;
            kbKeyId?: string;
            transactionDataHashes?: string[];
        };
        Readiness: {
            ready: boolean;
            /** @description The version of this gateway */
            version: string;
            services: {
                [key: string]: {
                    ready: boolean;
                    checks: {
                        [key: string]: boolean;
                    };
                    expires?: {
                        [key: string]: string;
                    };
                    /** @description Why a service did not respond */
                    code?: string;
                };
            };
        };
        RejectedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "REJECTED";
            state: string;
            /** @description The error code of the wallet */
            errorDetails: string;
            /** @description What the wallet wrote about it, if anything */
            errorDescription?: string;
        };
        RequestExpiredEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "EXPIRED";
            state: string;
        };
        /** @description Sent when an operator tests the callback URL */
        TestEvent: {
            /** @constant */
            status: "TEST";
            /** @description Its `webhook-id` */
            eventId: string;
        };
        /** @description Members beyond these two depend on the type */
        TransactionData: {
            type: string;
            /** @description Ids of credential queries, one of which confirms it */
            credential_ids: string[];
        } & {
            [key: string]: unknown;
        };
        UndeliveredCallback: {
            /** @description The `webhook-id` of its attempts */
            id: string;
            /** @enum {string} */
            service: "verifier" | "issuer";
            /** @description The state of its presentation request, or the id of its offer */
            subject: string;
            /** @description What it reports: `FULFILLED`, `OFFER_CREATED`, … */
            status?: string;
            /** @enum {string} */
            state: "waiting" | "dead";
            /** @description Origin of its own receiver; absent for the configured one */
            target?: string;
            attempts: number;
            /** @description Class of the last result: `http_503`, `timeout`, `tls_error`, … */
            last_result?: string;
            /** Format: date-time */
            created_at: string;
            age_seconds: number;
            /**
             * Format: date-time
             * @description Only while it is pending
             */
            next_attempt_at?: string;
            /**
             * Format: date-time
             * @description Only of an ISSUED whose response is not known to be handed over: when it is sent at the latest
             */
            held_until?: string;
            /**
             * Format: date-time
             * @description When it is given up
             */
            expires_at: string;
            /**
             * Format: date-time
             * @description When it was given up
             */
            dead_at?: string;
            /** @description Only of a dead letter: can it be rebuilt and sent again? */
            replayable?: boolean;
        };
        VerificationFailedEvent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "VERIFICATION_FAILED";
            state: string;
            errorDetails: string;
        };
        VerifiedCredential: {
            issuer: string;
            claims: {
                [key: string]: unknown;
            };
            signatureIsValid: boolean;
            supportRevocation: boolean;
            /** @description Present when supportRevocation is true */
            isRevoked?: boolean;
            supportTrustAnchor: boolean;
            /** @description Present when supportTrustAnchor is true */
            isTrusted?: boolean;
            /** @description RFC 7638 thumbprint (with CALLBACK_DATA=minimal a pseudonym of it); absent when holder binding was not required */
            kbKeyId?: string;
            /** @description Absent when holder binding was not required */
            kbSignatureIsValid?: boolean;
            /** @description Authentication code (TS12); present when the wallet confirmed a payment, an access or a mandate */
            jti?: string;
            /** @description How the user was authenticated for it: {category: method} for each factor */
            amr?: {
                [key: string]: string;
            }[];
            /** @description The response_mode of the request for which it was confirmed */
            responseMode?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPresentationRequests: {
        parameters: {
            query?: {
                /** @description Only those with this status; in upper or lower case */
                status?: "PENDING" | "FULFILLED" | "REJECTED" | "EXPIRED" | "PROCESSING_ERROR" | "VERIFICATION_FAILED";
                /** @description Only those created at this time or later */
                created_from?: string;
                /** @description Only those created before this time */
                created_before?: string;
                /** @description Maximum number of items per page; default 100 */
                limit?: number;
                /** @description Start of the page, from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests; a page may have fewer items than its limit although there is a next one */
            200: {
                headers: {
                    /** @description rel="next" with the URL of the next page, relative to this one; absent on the last page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "state": "VfIQd2nGkzqOCRAkcPDh9Q",
                     *         "status": "FULFILLED",
                     *         "created_at": "2026-03-01T12:00:00.000Z",
                     *         "expires_at": "2026-03-01T12:10:00.000Z",
                     *         "finished_at": "2026-03-01T12:01:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["PresentationRequestItem"][];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createPresentationRequest: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body returns the same response within 24 hours; the same key with another body returns 409 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dcql_query": {
                 *         "credentials": [
                 *           {
                 *             "id": "card",
                 *             "format": "dc+sd-jwt",
                 *             "meta": {
                 *               "vct_values": [
                 *                 "https://connector.example/oidc4vci/types/identity-card"
                 *               ]
                 *             },
                 *             "claims": [
                 *               {
                 *                 "path": [
                 *                   "family_name"
                 *                 ]
                 *               }
                 *             ]
                 *           }
                 *         ]
                 *       },
                 *       "expires_in": 600,
                 *       "redirect_uri": "https://shop.example/return"
                 *     }
                 */
                "application/json": components["schemas"]["PresentationRequest"];
            };
        };
        responses: {
            /** @description The request and its two URIs */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "VfIQd2nGkzqOCRAkcPDh9Q",
                     *       "same_device_request_uri": "openid4vp://?client_id=x509_hash%3AUvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk&request_uri=https%3A%2F%2Fconnector.example%2Foidc4vp%2FVfIQd2nGkzqOCRAkcPDh9Q%2Frequest%3Fflow_type%3Dsame-device",
                     *       "cross_device_request_uri": "openid4vp://?client_id=x509_hash%3AUvo3HtuIxuhC92rShpgqcT3YXwrqRxWEviRiA0OZszk&request_uri=https%3A%2F%2Fconnector.example%2Foidc4vp%2FVfIQd2nGkzqOCRAkcPDh9Q%2Frequest%3Fflow_type%3Dcross-device"
                     *     }
                     */
                    "application/json": components["schemas"]["PresentationRequestCreated"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `idempotency_conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPresentationRequest: {
        parameters: {
            query?: {
                /** @description While it is open, the response is held back until it ends, at most for this many seconds. Default: 0 */
                wait?: number;
            };
            header?: never;
            path: {
                state: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "state": "VfIQd2nGkzqOCRAkcPDh9Q",
                     *       "status": "PENDING",
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "expires_at": "2026-03-01T12:10:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PresentationRequestView"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `presentation_request_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelPresentationRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                state: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request has ended */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `presentation_request_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `presentation_request_ended` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCredentialOffers: {
        parameters: {
            query?: {
                /** @description Only those with this status; in upper or lower case */
                status?: "OFFER_CREATED" | "ISSUED" | "FAILED" | "EXPIRED";
                /** @description Only those created at this time or later */
                created_from?: string;
                /** @description Only those created before this time */
                created_before?: string;
                /** @description Maximum number of items per page; default 100 */
                limit?: number;
                /** @description Start of the page, from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The offers; a page may have fewer items than its limit although there is a next one */
            200: {
                headers: {
                    /** @description rel="next" with the URL of the next page, relative to this one; absent on the last page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "offer_id": "pJ9ycDnUUZeuyYsTwhmzQA",
                     *         "status": "OFFER_CREATED",
                     *         "created_at": "2026-03-01T12:00:00.000Z",
                     *         "expires_at": "2026-03-01T12:10:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CredentialOfferView"][];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createCredentialOffer: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body returns the same response within 24 hours; the same key with another body returns 409 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "credential_configuration_id": "identity-card",
                 *       "claims": {
                 *         "given_name": "Erika",
                 *         "family_name": "Mustermann"
                 *       },
                 *       "tx_code": {
                 *         "input_mode": "numeric",
                 *         "length": 6
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CredentialOffer"];
            };
        };
        responses: {
            /** @description The offer */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "offer_id": "pJ9ycDnUUZeuyYsTwhmzQA",
                     *       "credential_offer_uri": "openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fconnector.example%2Foidc4vci%2Foffers%2FpJ9ycDnUUZeuyYsTwhmzQA",
                     *       "tx_code_value": "493536"
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialOfferCreated"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `unknown_credential_configuration`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `idempotency_conflict` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCredentialOffer: {
        parameters: {
            query?: {
                /** @description While it is open, the response is held back until it ends, at most for this many seconds. Default: 0 */
                wait?: number;
            };
            header?: never;
            path: {
                offerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "offer_id": "pJ9ycDnUUZeuyYsTwhmzQA",
                     *       "status": "OFFER_CREATED",
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "expires_at": "2026-03-01T12:10:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialOfferView"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `credential_offer_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelCredentialOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                offerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The offer is cancelled */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `credential_offer_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `credential_offer_ended` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeCredentialOffer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                offerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "claims": {
                 *         "given_name": "Erika",
                 *         "family_name": "Mustermann"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CredentialOfferChange"];
            };
        };
        responses: {
            /** @description The offer */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "offer_id": "pJ9ycDnUUZeuyYsTwhmzQA",
                     *       "status": "OFFER_CREATED",
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "expires_at": "2026-03-01T12:10:00.000Z",
                     *       "deferral": "ready"
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialOfferView"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `credential_offer_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `credential_offer_ended`, `credential_offer_not_deferred` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeCredentialStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                offerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "suspended"
                 *     }
                 */
                "application/json": components["schemas"]["CredentialStatus"];
            };
        };
        responses: {
            /** @description The credentials have this status */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "offer_id": "pJ9ycDnUUZeuyYsTwhmzQA",
                     *       "status": "suspended",
                     *       "credentials": 1
                     *     }
                     */
                    "application/json": components["schemas"]["CredentialStatusChanged"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `credential_offer_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `credential_not_issued`, `credential_without_status`, `credential_revocation_final` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCallbackKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys of each service */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "service": "verifier",
                     *         "keys": [
                     *           {
                     *             "scheme": "v1"
                     *           },
                     *           {
                     *             "scheme": "v1a",
                     *             "public_key": "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
                     *           }
                     *         ]
                     *       },
                     *       {
                     *         "service": "issuer",
                     *         "keys": [
                     *           {
                     *             "scheme": "v1"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CallbackKeys"][];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCallbacks: {
        parameters: {
            query?: {
                /** @description `waiting`: pending; `dead`: given up, without payload. Default: waiting */
                state?: "waiting" | "dead";
                /** @description Maximum number of items per page; default 100 */
                limit?: number;
                /** @description Start of the page, from the Link header of the previous page */
                cursor?: string;
            };
            header?: never;
            path: {
                service: "verifier" | "issuer";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events */
            200: {
                headers: {
                    /** @description rel="next" with the URL of the next page, relative to this one; absent on the last page */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "AZygtGgAVfIQd2nGkzqOCRAkcPDh9Qab",
                     *         "service": "verifier",
                     *         "subject": "VfIQd2nGkzqOCRAkcPDh9Q",
                     *         "status": "FULFILLED",
                     *         "state": "waiting",
                     *         "attempts": 4,
                     *         "last_result": "http_503",
                     *         "created_at": "2026-03-01T12:00:00.000Z",
                     *         "age_seconds": 31,
                     *         "next_attempt_at": "2026-03-01T12:00:38.000Z",
                     *         "expires_at": "2026-03-02T12:00:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["UndeliveredCallback"][];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryCallbacks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "verifier" | "issuer";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of events that are due */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retried": 12
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackRetry"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testCallbacks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "service": "verifier"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description Absent: both, each to its own `CALLBACK_URL`
                     * @enum {string}
                     */
                    service?: "verifier" | "issuer";
                    /** @description Absent: the configured one. At an origin of `CALLBACK_ORIGINS` */
                    callback_url?: string;
                };
            };
        };
        responses: {
            /** @description One result for each service */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "service": "verifier",
                     *         "delivered": true,
                     *         "result": "http_204",
                     *         "milliseconds": 41,
                     *         "webhook_id": "AZygtGgAVfIQd2nGkzqOCRAkcPDh9Qab",
                     *         "signatures": [
                     *           "v1"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["CallbackTest"][];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayCallbacks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "verifier" | "issuer";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of events that are due */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed": 12,
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackReplay"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    replayCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "verifier" | "issuer";
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of events that are due */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "replayed": 1,
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackReplay"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `callback_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `callback_not_replayable` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    dropCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "verifier" | "issuer";
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event is a dead letter */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `callback_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                service: "verifier" | "issuer";
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of events that are due */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "retried": 1
                     *     }
                     */
                    "application/json": components["schemas"]["CallbackRetry"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid` */
            401: {
                headers: {
                    /** @description What is missing: `Bearer`, or `ApiKey header="X-API-KEY"` */
                    "WWW-Authenticate"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The client certificate is missing or not allowed, a scope is missing, or a page of another site is behind it. Codes: `scope_missing`, `client_certificate_required`, `client_certificate_not_allowed`, `foreign_page` */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description There is no such resource. Codes: `callback_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The body is too large. Codes: `body_too_large`, `message_too_large` */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The media type of the body is not supported. Codes: `unsupported_media_type` */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description An internal error. Codes: `internal_error` */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed` */
            503: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    isLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "live": true
                     *     }
                     */
                    "application/json": {
                        live: boolean;
                    };
                };
            };
        };
    };
    isReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All services are ready */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "ready": true,
                     *       "version": "0.1.0",
                     *       "services": {
                     *         "verifier": {
                     *           "ready": true,
                     *           "checks": {
                     *             "postgres": true,
                     *             "nats": true
                     *           }
                     *         },
                     *         "issuer": {
                     *           "ready": true,
                     *           "checks": {
                     *             "postgres": true,
                     *             "nats": true
                     *           }
                     *         },
                     *         "wallet-store": {
                     *           "ready": true,
                     *           "checks": {
                     *             "postgres": true,
                     *             "nats": true
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description A service is not ready, or this gateway shuts down */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    receivePresentedCredentialsEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the event: the same in every attempt */
                "webhook-id"?: string;
                /** @description When this attempt was made, in seconds since 1970 */
                "webhook-timestamp"?: string;
                /** @description One signature for each key: `v1,<HMAC>` or `v1a,<Ed25519>`, separated by spaces */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "FULFILLED",
                 *       "state": "VfIQd2nGkzqOCRAkcPDh9Q",
                 *       "credentials": {
                 *         "card": [
                 *           {
                 *             "issuer": "https://connector.example",
                 *             "claims": {
                 *               "family_name": "Mustermann"
                 *             },
                 *             "signatureIsValid": true,
                 *             "supportRevocation": true,
                 *             "isRevoked": false,
                 *             "supportTrustAnchor": true,
                 *             "isTrusted": true,
                 *             "kbKeyId": "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
                 *             "kbSignatureIsValid": true
                 *           }
                 *         ]
                 *       },
                 *       "credentialsRaw": {
                 *         "card": [
                 *           {
                 *             "claims": "eyJmYW1pbHlfbmFtZSI6Ik11c3Rlcm1hbm4ifQ==",
                 *             "issuer": "https://connector.example",
                 *             "validFrom": "2026-03-01T12:00:00.000Z",
                 *             "validUntil": "2027-03-01T12:00:00.000Z",
                 *             "kbKeyId": "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
                 *           }
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PresentedCredentialsEvent"];
            };
        };
        responses: {
            /** @description The event is given up at once */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is taken: it is not sent again */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again, except for OFFER_CREATED, which is given up unless it is 408, 425 or 429 */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again with back-off, by default for a day */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveIssuanceEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the event: the same in every attempt */
                "webhook-id"?: string;
                /** @description When this attempt was made, in seconds since 1970 */
                "webhook-timestamp"?: string;
                /** @description One signature for each key: `v1,<HMAC>` or `v1a,<Ed25519>`, separated by spaces */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "eventId": "pJ9ycDnUUZeuyYsTwhmzQA",
                 *       "status": "ISSUED",
                 *       "offerId": "pJ9ycDnUUZeuyYsTwhmzQA"
                 *     }
                 */
                "application/json": components["schemas"]["IssuanceEvent"];
            };
        };
        responses: {
            /** @description The event is given up at once */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is taken: it is not sent again */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again, except for OFFER_CREATED, which is given up unless it is 408, 425 or 429 */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again with back-off, by default for a day */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receiveTestEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description The id of the event: the same in every attempt */
                "webhook-id"?: string;
                /** @description When this attempt was made, in seconds since 1970 */
                "webhook-timestamp"?: string;
                /** @description One signature for each key: `v1,<HMAC>` or `v1a,<Ed25519>`, separated by spaces */
                "webhook-signature"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "TEST",
                 *       "eventId": "AZygtGgAVfIQd2nGkzqOCRAkcPDh9Qab"
                 *     }
                 */
                "application/json": components["schemas"]["TestEvent"];
            };
        };
        responses: {
            /** @description The event is given up at once */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event is taken: it is not sent again */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again, except for OFFER_CREATED, which is given up unless it is 408, 425 or 429 */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again with back-off, by default for a day */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
