// Written by `npm run docs` from docs/openapi. Do not edit.

export interface paths {
    "/api/wallet/v1/entity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create an entity, which owns wallets */
        post: operations["EntityCreateV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/wallet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a wallet for an entity */
        post: operations["WalletCreateV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/entities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The entities of the tenant, oldest first */
        get: operations["EntityListV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The wallets of the tenant or of one entity, oldest first */
        get: operations["WalletListV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/credential/{did}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The latest version of a credential */
        get: operations["CredentialGetV1"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The latest versions of the credentials of a wallet */
        get: operations["CredentialListV1"];
        put?: never;
        /** Verify an issued credential and import it into a wallet */
        post: operations["CredentialImportV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/vp/{did}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The latest version of a presentation */
        get: operations["PresentationGetV1"];
        put?: never;
        post?: never;
        /** Mark a presentation draft as deleted */
        delete: operations["PresentationAbandonV1"];
        options?: never;
        head?: never;
        /** Change a presentation draft by JSON merge patch */
        patch: operations["PresentationUpdateV1"];
        trace?: never;
    };
    "/api/wallet/v1/vp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The latest versions of the presentations of a wallet */
        get: operations["PresentationListV1"];
        put?: never;
        /** Create a presentation draft from credentials of a wallet */
        post: operations["PresentationCreateV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/vp/{did}/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign a presentation draft with the key of its holder */
        post: operations["PresentationIssueV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/wallet/v1/vp/{did}/present": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Copy an issued presentation and its credentials to another wallet */
        post: operations["PresentationPresentV1"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a schema, which may be empty */
        post: operations["SchemaCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Schemas of the tenant, by fields and labels */
        post: operations["SchemaSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/published-schemas/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Published schemas of the tenant */
        post: operations["PublishedSchemaSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/schemas/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A schema in its latest revision, published or not */
        get: operations["SchemaGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change an unpublished schema by JSON merge patch */
        patch: operations["SchemaUpdate"];
        trace?: never;
    };
    "/schemas/{id}/publish": {
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
        /** Make a schema immutable and publicly verifiable */
        patch: operations["SchemaPublish"];
        trace?: never;
    };
    "/drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a draft in a wallet, by default the tenant's default wallet */
        post: operations["DraftCreate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/drafts/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Drafts of the tenant, by fields and labels; issued and abandoned ones only where the filter names their state */
        post: operations["DraftSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/drafts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A draft in its latest revision, also when issued or abandoned */
        get: operations["DraftGet"];
        put?: never;
        post?: never;
        /** Mark a draft as deleted */
        delete: operations["DraftAbandon"];
        options?: never;
        head?: never;
        /** Change a draft by JSON merge patch */
        patch: operations["DraftUpdate"];
        trace?: never;
    };
    "/drafts/{id}/issue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign a draft with complete values */
        post: operations["DraftIssue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credentials/{id}/values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The values from which an issued credential was created */
        get: operations["GetCredentialClaimValues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/credentials/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether a credential that was created from a draft is valid, suspended or revoked */
        get: operations["CredentialStatusGet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Revoke, suspend or restore a credential that was issued with status_purposes; revocation is final */
        patch: operations["CredentialStatusChange"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A claim of a schema: its kind, and what the schema says about it */
        ClaimField: {
            /** @enum {string} */
            kind: "STRING";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
            };
        } | {
            /** @enum {string} */
            kind: "NUMBER";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
            };
        } | {
            /** @enum {string} */
            kind: "BOOLEAN";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
            };
        } | {
            /** @enum {string} */
            kind: "DATE";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
            };
        } | {
            /** @enum {string} */
            kind: "DATE_TIME";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
            };
        } | {
            /** @enum {string} */
            kind: "ENUM";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
                values: {
                    value: string;
                    title?: string;
                }[];
            };
        } | {
            /** @enum {string} */
            kind: "OBJECT";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
                fields: components["schemas"]["ClaimField"][];
            };
        } | {
            /** @enum {string} */
            kind: "LIST";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
                items: components["schemas"]["ClaimField"];
            };
        } | {
            /** @enum {string} */
            kind: "LINKED_CREDENTIAL";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
            };
        } | {
            /** @enum {string} */
            kind: "LINKED_FILE";
            value: {
                /** @description Absent only in `items` of a LIST */
                name?: string;
                /** @description Must have a value, and none that is empty, when a draft is issued */
                not_empty?: boolean;
                title?: string;
                description?: string;
            };
        };
        /** @description A value with its kind, which is that of its claim in the schema */
        ClaimValue: {
            /** @enum {string} */
            kind: "STRING";
            value: string;
        } | {
            /** @enum {string} */
            kind: "NUMBER";
            value: number;
        } | {
            /** @enum {string} */
            kind: "BOOLEAN";
            value: boolean;
        } | {
            /** @enum {string} */
            kind: "DATE";
            /** Format: date */
            value: string;
        } | {
            /** @enum {string} */
            kind: "DATE_TIME";
            /** Format: date-time */
            value: string;
        } | {
            /** @enum {string} */
            kind: "ENUM";
            value: string;
        } | {
            /** @enum {string} */
            kind: "OBJECT";
            value: {
                [key: string]: components["schemas"]["ClaimValue"];
            };
        } | {
            /** @enum {string} */
            kind: "LIST";
            value: components["schemas"]["ClaimValue"][];
        } | {
            /** @enum {string} */
            kind: "LINKED_CREDENTIAL";
            /** Format: uri */
            value: string;
        } | {
            /** @enum {string} */
            kind: "LINKED_FILE";
            /** Format: uri */
            value: string;
        };
        /** @description Values by the names of their claims */
        ClaimValues: {
            [key: string]: components["schemas"]["ClaimValue"];
        };
        /** @description What a credential of one type can say about its subject */
        ClaimsSchema: {
            fields: components["schemas"]["ClaimField"][];
        };
        Credential: {
            CredentialDid: string;
            IssuerDid?: string;
            /** @enum {string} */
            State: "draft" | "issued" | "abandoned";
            EntityDid: string;
            WalletDid: string;
            HolderDid?: string;
            Types: string[];
            /** Format: date-time */
            Created: string;
            /** Format: date-time */
            Updated: string;
            Revision: number;
            MetaData: {
                Labels: {
                    [key: string]: string;
                };
                Annotations: {
                    [key: string]: string;
                };
            };
            Body?: {
                [key: string]: unknown;
            };
        };
        CredentialImport: {
            /** @description The W3C Verifiable Credential (VCDM 2.0) with its Data Integrity proof */
            Body: {
                [key: string]: unknown;
            };
            MetaData?: components["schemas"]["MetaData"];
        };
        CredentialStatusRequest: {
            /**
             * @description In upper or lower case; revocation is final
             * @enum {string}
             */
            status: "valid" | "suspended" | "revoked";
        };
        DraftCreateRequest: {
            /** @description For searches */
            labels?: {
                [key: string]: string;
            };
            /** @description For the backend alone */
            annotations?: {
                [key: string]: string;
            };
            data: {
                values?: components["schemas"]["ClaimValues"];
                /** @description URL of a published schema, or a definition */
                meta_schema?: string | components["schemas"]["MetaSchema"];
                /** @description A temporary schema; exactly one of schema and meta_schema is required */
                schema?: components["schemas"]["MetaSchema"];
                /** @description JSON-LD contexts applied after that of the schema */
                json_ld_vocabs?: string[];
                /** @description JSON Schemas that replace that of the schema */
                vcdm_json_schemas?: string[];
            };
        };
        DraftIssueRequest: {
            /** @description Subject of the credential; becomes the id of credentialSubject */
            holder_did?: string;
            /**
             * Format: date-time
             * @description Default: now. Fractions of a second are dropped
             */
            valid_from?: string;
            /**
             * Format: date-time
             * @description Fractions of a second are dropped
             */
            valid_until?: string;
            /** @description What can happen to the credential later (Bitstring Status List); default: nothing */
            status_purposes?: ("revocation" | "suspension")[];
        };
        DraftPage: {
            items: components["schemas"]["ResourceDraft"][];
            /** @description `cursor` of the next page */
            next_cursor?: string;
        };
        DraftSearchRequest: {
            /** @description Entries are combined with OR, members of one entry with AND */
            filter?: {
                type?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                id?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                state?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: ("draft" | "issued" | "abandoned") | ("draft" | "issued" | "abandoned")[];
                };
                entity_did?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                wallet_did?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                created_at?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                modified_at?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                labels?: {
                    [key: string]: {
                        /** @enum {string} */
                        operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                        value: string | string[];
                    };
                };
            }[] | null;
            sort?: {
                /** @enum {string} */
                field: "id" | "created_at" | "modified_at";
                /**
                 * @description Default: ASC
                 * @enum {string}
                 */
                order?: "ASC" | "DESC";
            }[];
            /** @description Default: 100 */
            limit?: number;
            /** @description `next_cursor` of the previous page */
            cursor?: string;
        };
        /** @description JSON merge patch (RFC 7396) of labels, annotations and data */
        DraftUpdateRequest: {
            labels?: {
                [key: string]: string | null;
            } | null;
            annotations?: {
                [key: string]: string | null;
            } | null;
            data?: {
                entity_did?: string;
                wallet_did?: string;
                /** @description Changes of single claims; null removes one */
                values?: {
                    [key: string]: unknown;
                };
                meta_schema?: (string | ({
                    schema?: ({
                        fields?: components["schemas"]["ClaimField"][] | null;
                    } & {
                        [key: string]: unknown;
                    }) | null;
                    slug?: string | null;
                    version?: number | null;
                } & {
                    [key: string]: unknown;
                })) | null;
                schema?: ({
                    schema?: ({
                        fields?: components["schemas"]["ClaimField"][] | null;
                    } & {
                        [key: string]: unknown;
                    }) | null;
                    slug?: string | null;
                    version?: number | null;
                } & {
                    [key: string]: unknown;
                }) | null;
                json_ld_vocabs?: string[] | null;
                vcdm_json_schemas?: string[] | null;
            };
        };
        Entity: {
            EntityDid: string;
            /** Format: date-time */
            Created: string;
            /** Format: date-time */
            Updated: string;
            Revision: number;
            MetaData: {
                Labels: {
                    [key: string]: string;
                };
                Annotations: {
                    [key: string]: string;
                };
            };
        };
        MetaData: {
            Labels?: {
                [key: string]: string;
            };
            Annotations?: {
                [key: string]: string;
            };
        };
        /** @description A definition: a schema, and the name under which it may be published */
        MetaSchema: {
            schema: components["schemas"]["ClaimsSchema"];
            /** @description Words of lower-case letters and digits joined by - */
            slug?: string;
            version?: number;
        };
        Presentation: {
            PresentationDid: string;
            /** @enum {string} */
            State: "draft" | "issued" | "abandoned";
            EntityDid: string;
            WalletDid: string;
            HolderDid?: string;
            Types: string[];
            /** Format: date-time */
            Created: string;
            /** Format: date-time */
            Updated: string;
            Revision: number;
            MetaData: {
                Labels: {
                    [key: string]: string;
                };
                Annotations: {
                    [key: string]: string;
                };
            };
            Body?: {
                [key: string]: unknown;
            };
        };
        PresentationBinding: {
            /** @description From the verifier; default: a new random one */
            Challenge?: string;
            /** @description The verifier that the presentation is for */
            Domain?: string;
        };
        PresentationCreation: {
            /** @description Issued credentials of the wallet */
            CredentialDids: string[];
            MetaData?: components["schemas"]["MetaData"];
        };
        /** @description JSON merge patch of CredentialDids and MetaData */
        PresentationUpdate: {
            [key: string]: unknown;
        };
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
        PublishedSchemaPage: {
            items: components["schemas"]["ResourcePublishedSchema"][];
            /** @description `cursor` of the next page */
            next_cursor?: string;
        };
        PublishedSchemaSearchRequest: {
            /** @description Entries are combined with OR, members of one entry with AND */
            filter?: {
                id?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                slug?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                version?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: (number | string) | (number | string)[];
                };
                owner?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                meta_schema?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                created_at?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                labels?: {
                    [key: string]: {
                        /** @enum {string} */
                        operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                        value: string | string[];
                    };
                };
            }[] | null;
            sort?: {
                /** @enum {string} */
                field: "id" | "slug" | "version" | "created_at";
                /**
                 * @description Default: ASC
                 * @enum {string}
                 */
                order?: "ASC" | "DESC";
            }[];
            /** @description Default: 100 */
            limit?: number;
            /** @description `next_cursor` of the previous page */
            cursor?: string;
        };
        ResourceClaimValues: {
            kind: {
                /** @enum {string} */
                name: "ClaimValues";
                /** @enum {string} */
                version: "0.40.11" | "0.38.2";
            };
            id: string;
            /** @description For If-Match */
            etag: string;
            revision: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            labels: {
                [key: string]: string;
            };
            annotations: {
                [key: string]: string;
            };
            data: {
                values: components["schemas"]["ClaimValues"];
            };
            /** Format: date-time */
            deleted_at?: string;
        };
        ResourceCredential: {
            kind: {
                /** @enum {string} */
                name: "Credential";
                /** @enum {string} */
                version: "0.40.11" | "0.38.2";
            };
            id: string;
            /** @description For If-Match */
            etag: string;
            revision: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            labels: {
                [key: string]: string;
            };
            annotations: {
                [key: string]: string;
            };
            data: {
                /** @enum {string} */
                state: "draft" | "issued" | "abandoned";
                entity_did: string;
                wallet_did: string;
                issuer_did?: string;
                holder_did?: string;
                types: string[];
                /** @description The W3C Verifiable Credential with its proof */
                document: {
                    [key: string]: unknown;
                };
            };
            /** Format: date-time */
            deleted_at?: string;
        };
        ResourceCredentialStatus: {
            /** @description DID of the credential */
            id: string;
            /** @enum {string} */
            status: "valid" | "suspended" | "revoked";
            /** @description What can happen to it, as it was issued */
            status_purposes: ("revocation" | "suspension")[];
        };
        ResourceDraft: {
            kind: {
                /** @enum {string} */
                name: "Draft";
                /** @enum {string} */
                version: "0.40.11" | "0.38.2";
            };
            id: string;
            /** @description For If-Match */
            etag: string;
            revision: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            labels: {
                [key: string]: string;
            };
            annotations: {
                [key: string]: string;
            };
            data: {
                entity_did: string;
                wallet_did: string;
                /** Format: uri */
                meta_schema: string;
                json_ld_vocabs: string[];
                vcdm_json_schemas: string[];
                values: components["schemas"]["ClaimValues"];
            };
            /** Format: date-time */
            deleted_at?: string;
        };
        ResourcePublishedSchema: {
            kind: {
                /** @enum {string} */
                name: "PublishedSchema";
                /** @enum {string} */
                version: "0.40.11" | "0.38.2";
            };
            id: string;
            /** @description For If-Match */
            etag: string;
            revision: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            labels: {
                [key: string]: string;
            };
            annotations: {
                [key: string]: string;
            };
            data: {
                schema: components["schemas"]["ClaimsSchema"];
                /** @description Words of lower-case letters and digits joined by - */
                slug: string;
                version: number;
                /** @description The DID that signed it */
                owner: string;
                /**
                 * Format: uri
                 * @description Where everybody can read the schema
                 */
                meta_schema: string;
                /**
                 * Format: uri
                 * @description Its JSON-LD context
                 */
                json_ld_vocab: string;
                /**
                 * Format: uri
                 * @description Its JSON Schema (W3C vc-json-schema)
                 */
                vcdm_json_schema: string;
                /**
                 * Format: uri
                 * @description Its Type Metadata (SD-JWT VC)
                 */
                type_metadata: string;
            };
            /** Format: date-time */
            deleted_at?: string;
        };
        ResourceSchema: {
            kind: {
                /** @enum {string} */
                name: "Schema";
                /** @enum {string} */
                version: "0.40.11" | "0.38.2";
            };
            id: string;
            /** @description For If-Match */
            etag: string;
            revision: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            modified_at: string;
            labels: {
                [key: string]: string;
            };
            annotations: {
                [key: string]: string;
            };
            data: {
                schema: components["schemas"]["ClaimsSchema"];
                /** @description Words of lower-case letters and digits joined by - */
                slug?: string;
                version?: number;
                /**
                 * Format: uri
                 * @description Where everybody can read the schema
                 */
                meta_schema?: string;
                /**
                 * Format: uri
                 * @description Its JSON-LD context
                 */
                json_ld_vocab?: string;
                /**
                 * Format: uri
                 * @description Its JSON Schema (W3C vc-json-schema)
                 */
                vcdm_json_schema?: string;
                /**
                 * Format: uri
                 * @description Its Type Metadata (SD-JWT VC)
                 */
                type_metadata?: string;
            };
            /** Format: date-time */
            deleted_at?: string;
        };
        SchemaCreateRequest: {
            /** @description For searches */
            labels?: {
                [key: string]: string;
            };
            /** @description For the backend alone */
            annotations?: {
                [key: string]: string;
            };
            data?: {
                schema?: components["schemas"]["ClaimsSchema"];
                /** @description Words of lower-case letters and digits joined by - */
                slug?: string;
                version?: number;
            };
        };
        SchemaPage: {
            items: components["schemas"]["ResourceSchema"][];
            /** @description `cursor` of the next page */
            next_cursor?: string;
        };
        SchemaPublishRequest: {
            /** @description Words of lower-case letters and digits joined by -; default: that of the definition */
            slug?: string;
            /** @description Default: that of the definition, else 1 */
            version?: number;
        };
        SchemaSearchRequest: {
            /** @description Entries are combined with OR, members of one entry with AND */
            filter?: {
                id?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                slug?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                version?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: (number | string) | (number | string)[];
                };
                published?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: (boolean | ("true" | "false")) | (boolean | ("true" | "false"))[];
                };
                created_at?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                modified_at?: {
                    /** @enum {string} */
                    operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                    value: string | string[];
                };
                labels?: {
                    [key: string]: {
                        /** @enum {string} */
                        operator: "EQUAL" | "NOT_EQUAL" | "IN" | "NOT_IN";
                        value: string | string[];
                    };
                };
            }[] | null;
            sort?: {
                /** @enum {string} */
                field: "id" | "slug" | "version" | "created_at" | "modified_at";
                /**
                 * @description Default: ASC
                 * @enum {string}
                 */
                order?: "ASC" | "DESC";
            }[];
            /** @description Default: 100 */
            limit?: number;
            /** @description `next_cursor` of the previous page */
            cursor?: string;
        };
        /** @description JSON merge patch (RFC 7396) of labels, annotations and data */
        SchemaUpdateRequest: {
            labels?: {
                [key: string]: string | null;
            } | null;
            annotations?: {
                [key: string]: string | null;
            } | null;
            data?: {
                schema?: ({
                    fields?: components["schemas"]["ClaimField"][] | null;
                } & {
                    [key: string]: unknown;
                }) | null;
                slug?: string | null;
                version?: number | null;
            } | null;
        };
        Wallet: {
            WalletDid: string;
            EntityDid: string;
            /** Format: date-time */
            Created: string;
            /** Format: date-time */
            Updated: string;
            Revision: number;
            MetaData: {
                Labels: {
                    [key: string]: string;
                };
                Annotations: {
                    [key: string]: string;
                };
            };
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
    EntityCreateV1: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body returns the same response within 24 hours; the same key with another body returns 409 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entity */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 1,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Entity"];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    WalletCreateV1: {
        parameters: {
            query: {
                /** @description The entity that will own the wallet */
                entityDid: string;
            };
            header?: {
                /** @description The same key with the same body returns the same response within 24 hours; the same key with another body returns 409 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The wallet */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 1,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Wallet"];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `entity_not_found` */
            404: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    EntityListV1: {
        parameters: {
            query?: {
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
            /** @description The entities */
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
                     *         "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "Created": "2026-03-01T12:00:00.000Z",
                     *         "Updated": "2026-03-01T12:00:00.000Z",
                     *         "Revision": 1,
                     *         "MetaData": {
                     *           "Labels": {},
                     *           "Annotations": {}
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Entity"][];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    WalletListV1: {
        parameters: {
            query?: {
                /** @description Only wallets that this entity owns */
                entityDid?: string;
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
            /** @description The wallets */
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
                     *         "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "Created": "2026-03-01T12:00:00.000Z",
                     *         "Updated": "2026-03-01T12:00:00.000Z",
                     *         "Revision": 1,
                     *         "MetaData": {
                     *           "Labels": {},
                     *           "Annotations": {}
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Wallet"][];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `entity_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    CredentialGetV1: {
        parameters: {
            query: {
                /** @description The entity that owns the wallet */
                entityDid: string;
                /** @description The wallet */
                walletDid: string;
                /** @description A revision to return instead of the latest */
                revision?: number;
            };
            header?: never;
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The credential */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CredentialDid": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "IssuerDid": "did:web:issuer.example",
                     *       "State": "issued",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 1,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiableCredential",
                     *         "IdentityCard"
                     *       ],
                     *       "Body": {
                     *         "type": [
                     *           "VerifiableCredential",
                     *           "IdentityCard"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Credential"];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found`, `credential_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    CredentialListV1: {
        parameters: {
            query: {
                /** @description The entity that owns the wallet */
                entityDid: string;
                /** @description The wallet */
                walletDid: string;
                /** @description `Held`: the holder is the owner of the wallet; `Presented`: it is not. In upper or lower case. Default: All */
                queryMode?: "All" | "Held" | "Presented";
                /** @description Label selector in the syntax of Kubernetes: a=b, a!=b, a in (b,c), a notin (b,c), a, !a */
                labelSelector?: string;
                /** @description In upper or lower case */
                state?: "draft" | "issued" | "abandoned";
                /** @description Whether items include their Body; default false */
                getBodies?: "true" | "false";
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
            /** @description Descriptors, with Body if requested */
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
                     *         "CredentialDid": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *         "IssuerDid": "did:web:issuer.example",
                     *         "State": "issued",
                     *         "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "Created": "2026-03-01T12:00:00.000Z",
                     *         "Updated": "2026-03-01T12:00:00.000Z",
                     *         "Revision": 1,
                     *         "MetaData": {
                     *           "Labels": {},
                     *           "Annotations": {}
                     *         },
                     *         "Types": [
                     *           "VerifiableCredential",
                     *           "IdentityCard"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Credential"][];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    CredentialImportV1: {
        parameters: {
            query?: {
                /** @description The entity that owns the wallet */
                entityDid?: string;
                /** @description The wallet */
                walletDid?: string;
            };
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
                 *       "Body": {
                 *         "@context": [
                 *           "https://www.w3.org/ns/credentials/v2"
                 *         ],
                 *         "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                 *         "type": [
                 *           "VerifiableCredential",
                 *           "IdentityCard"
                 *         ],
                 *         "issuer": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                 *         "credentialSubject": {
                 *           "id": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169"
                 *         },
                 *         "proof": {
                 *           "type": "DataIntegrityProof",
                 *           "cryptosuite": "ecdsa-rdfc-2019"
                 *         }
                 *       },
                 *       "MetaData": {
                 *         "Labels": {
                 *           "tier": "gold"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CredentialImport"];
            };
        };
        responses: {
            /** @description The credential */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "CredentialDid": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "IssuerDid": "did:web:issuer.example",
                     *       "State": "issued",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 1,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiableCredential",
                     *         "IdentityCard"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Credential"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, those that begin with `vc_` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `credential_exists`, `idempotency_conflict` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
            /** @description A component is unavailable: try again after `Retry-After`. Codes: `management_token_keys_unavailable`, `service_unavailable`, `service_timeout`, `contract_version_mismatch`, `database_unavailable`, `database_not_writable`, `database_outcome_unknown`, `database_timeout`, `tenant_busy`, `search_timeout`, `canonicalizer_busy`, `canonicalizer_failed`, `vc_status_unavailable` */
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
    PresentationGetV1: {
        parameters: {
            query: {
                /** @description The entity that owns the wallet */
                entityDid: string;
                /** @description The wallet */
                walletDid: string;
                /** @description `Held`: the holder is the owner of the wallet; `Presented`: it is not. In upper or lower case. Default: All */
                queryMode?: "All" | "Held" | "Presented";
                /** @description A revision to return instead of the latest */
                revision?: number;
            };
            header?: never;
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The presentation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PresentationDid": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *       "State": "issued",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 1,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiablePresentation"
                     *       ],
                     *       "Body": {
                     *         "type": [
                     *           "VerifiablePresentation"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Presentation"];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found`, `presentation_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    PresentationAbandonV1: {
        parameters: {
            query?: {
                /** @description The entity that owns the wallet */
                entityDid?: string;
                /** @description The wallet */
                walletDid?: string;
            };
            header?: {
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The presentation, in its new revision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PresentationDid": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *       "State": "abandoned",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 2,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiablePresentation"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Presentation"];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found`, `presentation_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `concurrent_change` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    PresentationUpdateV1: {
        parameters: {
            query?: {
                /** @description The entity that owns the wallet */
                entityDid?: string;
                /** @description The wallet */
                walletDid?: string;
            };
            header?: {
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "MetaData": {
                 *         "Labels": {
                 *           "tier": "gold",
                 *           "draft": null
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PresentationUpdate"];
            };
        };
        responses: {
            /** @description The presentation, in its new revision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PresentationDid": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *       "State": "draft",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 2,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiablePresentation"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Presentation"];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found`, `presentation_not_found`, `credential_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `concurrent_change` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    PresentationListV1: {
        parameters: {
            query: {
                /** @description The entity that owns the wallet */
                entityDid: string;
                /** @description The wallet */
                walletDid: string;
                /** @description `Held`: the holder is the owner of the wallet; `Presented`: it is not. In upper or lower case. Default: All */
                queryMode?: "All" | "Held" | "Presented";
                /** @description Label selector in the syntax of Kubernetes: a=b, a!=b, a in (b,c), a notin (b,c), a, !a */
                labelSelector?: string;
                /** @description In upper or lower case */
                state?: "draft" | "issued" | "abandoned";
                /** @description Whether items include their Body; default false */
                getBodies?: "true" | "false";
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
            /** @description Descriptors, with Body if requested */
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
                     *         "PresentationDid": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *         "State": "issued",
                     *         "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "Created": "2026-03-01T12:00:00.000Z",
                     *         "Updated": "2026-03-01T12:00:00.000Z",
                     *         "Revision": 1,
                     *         "MetaData": {
                     *           "Labels": {},
                     *           "Annotations": {}
                     *         },
                     *         "Types": [
                     *           "VerifiablePresentation"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Presentation"][];
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
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    PresentationCreateV1: {
        parameters: {
            query?: {
                /** @description The entity that owns the wallet */
                entityDid?: string;
                /** @description The wallet */
                walletDid?: string;
            };
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
                 *       "CredentialDids": [
                 *         "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PresentationCreation"];
            };
        };
        responses: {
            /** @description The presentation draft */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PresentationDid": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *       "State": "draft",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 1,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiablePresentation"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Presentation"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, those that begin with `vc_` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found`, `credential_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `idempotency_conflict` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    PresentationIssueV1: {
        parameters: {
            query?: {
                /** @description The entity that owns the wallet */
                entityDid?: string;
                /** @description The wallet */
                walletDid?: string;
            };
            header?: {
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "Challenge": "q0Vh2bSu5E7VSmJwPoXbfA",
                 *       "Domain": "https://shop.example"
                 *     }
                 */
                "application/json": components["schemas"]["PresentationBinding"];
            };
        };
        responses: {
            /** @description The presentation, in its new revision */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PresentationDid": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *       "State": "issued",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 2,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiablePresentation"
                     *       ],
                     *       "Body": {
                     *         "type": [
                     *           "VerifiablePresentation"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Presentation"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, those that begin with `vc_` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found`, `presentation_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `concurrent_change` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    PresentationPresentV1: {
        parameters: {
            query: {
                /** @description The entity that owns the wallet to present to */
                entityDid: string;
                /** @description The wallet to present to */
                walletDid: string;
            };
            header?: never;
            path: {
                did: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The presentation in that wallet */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "PresentationDid": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *       "State": "issued",
                     *       "EntityDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "WalletDid": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *       "HolderDid": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *       "Created": "2026-03-01T12:00:00.000Z",
                     *       "Updated": "2026-03-01T12:00:00.000Z",
                     *       "Revision": 1,
                     *       "MetaData": {
                     *         "Labels": {},
                     *         "Annotations": {}
                     *       },
                     *       "Types": [
                     *         "VerifiablePresentation"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Presentation"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, those that begin with `vc_` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found`, `presentation_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `credential_exists` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    SchemaCreate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
                /** @description The same key with the same body returns the same response within 24 hours; the same key with another body returns 409 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "schema": {
                 *           "fields": [
                 *             {
                 *               "kind": "STRING",
                 *               "value": {
                 *                 "name": "given_name",
                 *                 "not_empty": true,
                 *                 "title": "Given name"
                 *               }
                 *             },
                 *             {
                 *               "kind": "DATE",
                 *               "value": {
                 *                 "name": "since"
                 *               }
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SchemaCreateRequest"];
            };
        };
        responses: {
            /** @description The schema */
            201: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Schema",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "AZyNnW1AAACfQhx2f0cJmPvT",
                     *       "etag": "1",
                     *       "revision": 1,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "schema": {
                     *           "fields": [
                     *             {
                     *               "kind": "STRING",
                     *               "value": {
                     *                 "name": "given_name",
                     *                 "not_empty": true,
                     *                 "title": "Given name"
                     *               }
                     *             },
                     *             {
                     *               "kind": "DATE",
                     *               "value": {
                     *                 "name": "since"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceSchema"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    SchemaSearch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": [
                 *         {
                 *           "labels": {
                 *             "team": {
                 *               "operator": "EQUAL",
                 *               "value": "blue"
                 *             }
                 *           }
                 *         }
                 *       ],
                 *       "limit": 100
                 *     }
                 */
                "application/json": components["schemas"]["SchemaSearchRequest"];
            };
        };
        responses: {
            /** @description A page of schemas */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "kind": {
                     *             "name": "Schema",
                     *             "version": "0.40.11"
                     *           },
                     *           "id": "AZyNnW1AAACfQhx2f0cJmPvT",
                     *           "etag": "1",
                     *           "revision": 1,
                     *           "created_at": "2026-03-01T12:00:00.000Z",
                     *           "modified_at": "2026-03-01T12:00:00.000Z",
                     *           "labels": {},
                     *           "annotations": {},
                     *           "data": {
                     *             "schema": {
                     *               "fields": [
                     *                 {
                     *                   "kind": "STRING",
                     *                   "value": {
                     *                     "name": "given_name",
                     *                     "not_empty": true,
                     *                     "title": "Given name"
                     *                   }
                     *                 },
                     *                 {
                     *                   "kind": "DATE",
                     *                   "value": {
                     *                     "name": "since"
                     *                   }
                     *                 }
                     *               ]
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SchemaPage"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    PublishedSchemaSearch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": [
                 *         {
                 *           "slug": {
                 *             "operator": "EQUAL",
                 *             "value": "employee-badge"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PublishedSchemaSearchRequest"];
            };
        };
        responses: {
            /** @description A page of published schemas */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "kind": {
                     *             "name": "PublishedSchema",
                     *             "version": "0.40.11"
                     *           },
                     *           "id": "AZyNnW1AAACfQhx2f0cJmPvT",
                     *           "etag": "1",
                     *           "revision": 1,
                     *           "created_at": "2026-03-01T12:00:00.000Z",
                     *           "modified_at": "2026-03-01T12:00:00.000Z",
                     *           "labels": {},
                     *           "annotations": {},
                     *           "data": {
                     *             "schema": {
                     *               "fields": [
                     *                 {
                     *                   "kind": "STRING",
                     *                   "value": {
                     *                     "name": "given_name",
                     *                     "not_empty": true,
                     *                     "title": "Given name"
                     *                   }
                     *                 },
                     *                 {
                     *                   "kind": "DATE",
                     *                   "value": {
                     *                     "name": "since"
                     *                   }
                     *                 }
                     *               ]
                     *             },
                     *             "slug": "employee-badge",
                     *             "version": 1,
                     *             "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                     *             "json_ld_vocab": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1/context",
                     *             "vcdm_json_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1/json-schema",
                     *             "type_metadata": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1/type-metadata",
                     *             "owner": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PublishedSchemaPage"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    SchemaGet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schema */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Schema",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "AZyNnW1AAACfQhx2f0cJmPvT",
                     *       "etag": "1",
                     *       "revision": 1,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "schema": {
                     *           "fields": [
                     *             {
                     *               "kind": "STRING",
                     *               "value": {
                     *                 "name": "given_name",
                     *                 "not_empty": true,
                     *                 "title": "Given name"
                     *               }
                     *             },
                     *             {
                     *               "kind": "DATE",
                     *               "value": {
                     *                 "name": "since"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceSchema"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `schema_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    SchemaUpdate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "labels": {
                 *         "team": "blue"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SchemaUpdateRequest"];
            };
        };
        responses: {
            /** @description The schema */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Schema",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "AZyNnW1AAACfQhx2f0cJmPvT",
                     *       "etag": "1",
                     *       "revision": 1,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {
                     *         "team": "blue"
                     *       },
                     *       "annotations": {},
                     *       "data": {
                     *         "schema": {
                     *           "fields": [
                     *             {
                     *               "kind": "STRING",
                     *               "value": {
                     *                 "name": "given_name",
                     *                 "not_empty": true,
                     *                 "title": "Given name"
                     *               }
                     *             },
                     *             {
                     *               "kind": "DATE",
                     *               "value": {
                     *                 "name": "since"
                     *               }
                     *             }
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceSchema"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `schema_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `schema_published`, `concurrent_change` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    SchemaPublish: {
        parameters: {
            query?: {
                /** @description The entity that owns and signs the schema; default: the owner of the default wallet */
                entityDid?: string;
            };
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "slug": "employee-badge"
                 *     }
                 */
                "application/json": components["schemas"]["SchemaPublishRequest"];
            };
        };
        responses: {
            /** @description The schema */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Schema",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "AZyNnW1AAACfQhx2f0cJmPvT",
                     *       "etag": "2",
                     *       "revision": 2,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "schema": {
                     *           "fields": [
                     *             {
                     *               "kind": "STRING",
                     *               "value": {
                     *                 "name": "given_name",
                     *                 "not_empty": true,
                     *                 "title": "Given name"
                     *               }
                     *             },
                     *             {
                     *               "kind": "DATE",
                     *               "value": {
                     *                 "name": "since"
                     *               }
                     *             }
                     *           ]
                     *         },
                     *         "slug": "employee-badge",
                     *         "version": 1,
                     *         "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                     *         "json_ld_vocab": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1/context",
                     *         "vcdm_json_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1/json-schema",
                     *         "type_metadata": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1/type-metadata"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceSchema"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `schema_not_found`, `entity_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `schema_published`, `concurrent_change`, `schema_version_taken`, `schema_version_outdated` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    DraftCreate: {
        parameters: {
            query?: {
                /** @description The entity that owns the wallet */
                entityDid?: string;
                /** @description The wallet */
                walletDid?: string;
            };
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
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
                 *       "data": {
                 *         "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                 *         "values": {
                 *           "given_name": {
                 *             "kind": "STRING",
                 *             "value": "Erika"
                 *           },
                 *           "since": {
                 *             "kind": "DATE",
                 *             "value": "2026-03-01"
                 *           }
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DraftCreateRequest"];
            };
        };
        responses: {
            /** @description The draft */
            201: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Draft",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "etag": "1",
                     *       "revision": 1,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "entity_did": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "wallet_did": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                     *         "json_ld_vocabs": [],
                     *         "vcdm_json_schemas": [],
                     *         "values": {
                     *           "given_name": {
                     *             "kind": "STRING",
                     *             "value": "Erika"
                     *           },
                     *           "since": {
                     *             "kind": "DATE",
                     *             "value": "2026-03-01"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceDraft"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown`, those that begin with `vc_` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `wallet_not_found` */
            404: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    DraftSearch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "filter": [
                 *         {
                 *           "labels": {
                 *             "team": {
                 *               "operator": "EQUAL",
                 *               "value": "blue"
                 *             }
                 *           }
                 *         }
                 *       ],
                 *       "limit": 100
                 *     }
                 */
                "application/json": components["schemas"]["DraftSearchRequest"];
            };
        };
        responses: {
            /** @description A page of drafts */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "kind": {
                     *             "name": "Draft",
                     *             "version": "0.40.11"
                     *           },
                     *           "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *           "etag": "1",
                     *           "revision": 1,
                     *           "created_at": "2026-03-01T12:00:00.000Z",
                     *           "modified_at": "2026-03-01T12:00:00.000Z",
                     *           "labels": {},
                     *           "annotations": {},
                     *           "data": {
                     *             "entity_did": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *             "wallet_did": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *             "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                     *             "json_ld_vocabs": [],
                     *             "vcdm_json_schemas": [],
                     *             "values": {
                     *               "given_name": {
                     *                 "kind": "STRING",
                     *                 "value": "Erika"
                     *               },
                     *               "since": {
                     *                 "kind": "DATE",
                     *                 "value": "2026-03-01"
                     *               }
                     *             }
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DraftPage"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    DraftGet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The draft */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Draft",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "etag": "1",
                     *       "revision": 1,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "entity_did": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "wallet_did": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                     *         "json_ld_vocabs": [],
                     *         "vcdm_json_schemas": [],
                     *         "values": {
                     *           "given_name": {
                     *             "kind": "STRING",
                     *             "value": "Erika"
                     *           },
                     *           "since": {
                     *             "kind": "DATE",
                     *             "value": "2026-03-01"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceDraft"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `draft_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    DraftAbandon: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The abandoned draft */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Draft",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "etag": "1",
                     *       "revision": 1,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "entity_did": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "wallet_did": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                     *         "json_ld_vocabs": [],
                     *         "vcdm_json_schemas": [],
                     *         "values": {
                     *           "given_name": {
                     *             "kind": "STRING",
                     *             "value": "Erika"
                     *           },
                     *           "since": {
                     *             "kind": "DATE",
                     *             "value": "2026-03-01"
                     *           }
                     *         }
                     *       },
                     *       "deleted_at": "2026-03-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceDraft"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `draft_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `concurrent_change` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    DraftUpdate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "values": {
                 *           "since": null
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DraftUpdateRequest"];
            };
        };
        responses: {
            /** @description The draft */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Draft",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "etag": "1",
                     *       "revision": 1,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "entity_did": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "wallet_did": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "meta_schema": "https://connector.example/schemas/6f7a6f3e-3f1e-4a53-9d5f-0b7f2f6d4d11/employee-badge/1",
                     *         "json_ld_vocabs": [],
                     *         "vcdm_json_schemas": [],
                     *         "values": {
                     *           "given_name": {
                     *             "kind": "STRING",
                     *             "value": "Erika"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceDraft"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown`, those that begin with `vc_` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `draft_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `concurrent_change` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    DraftIssue: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
                /** @description The etag that was read; returns 412 if the resource has changed since */
                "If-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "holder_did": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                 *       "status_purposes": [
                 *         "revocation"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DraftIssueRequest"];
            };
        };
        responses: {
            /** @description The issued credential */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "Credential",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "etag": "2",
                     *       "revision": 2,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "state": "issued",
                     *         "entity_did": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "wallet_did": "did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv",
                     *         "issuer_did": "did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169",
                     *         "holder_did": "did:key:zDnaefGdfYmGjUcM3TgUpBoUgUzcxxMpuLh4CFhCzJdDeMJsm",
                     *         "types": [
                     *           "VerifiableCredential",
                     *           "EmployeeBadge"
                     *         ],
                     *         "document": {
                     *           "type": [
                     *             "VerifiableCredential",
                     *             "EmployeeBadge"
                     *           ]
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceCredential"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `draft_incomplete`, `json_schema_violated`, `json_schema_unknown`, `invalid_json`, `api_version_unknown`, those that begin with `vc_` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `draft_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `transition_forbidden`, `concurrent_change` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The resource has changed since it was read. Codes: `revision_mismatch` */
            412: {
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    GetCredentialClaimValues: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values, in the form of drafts */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    /** @description The etag of the resource, in quotes */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "kind": {
                     *         "name": "ClaimValues",
                     *         "version": "0.40.11"
                     *       },
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "etag": "2",
                     *       "revision": 2,
                     *       "created_at": "2026-03-01T12:00:00.000Z",
                     *       "modified_at": "2026-03-01T12:00:00.000Z",
                     *       "labels": {},
                     *       "annotations": {},
                     *       "data": {
                     *         "values": {
                     *           "given_name": {
                     *             "kind": "STRING",
                     *             "value": "Erika"
                     *           },
                     *           "since": {
                     *             "kind": "DATE",
                     *             "value": "2026-03-01"
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceClaimValues"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `credential_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    CredentialStatusGet: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The status of the credential */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "status": "valid",
                     *       "status_purposes": [
                     *         "revocation"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceCredentialStatus"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `credential_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `credential_without_status` */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
    CredentialStatusChange: {
        parameters: {
            query?: never;
            header?: {
                /** @description The version of the schema and draft API; default: the current one */
                "X-Service-OAS-Version"?: "0.40.11";
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "revoked"
                 *     }
                 */
                "application/json": components["schemas"]["CredentialStatusRequest"];
            };
        };
        responses: {
            /** @description The status of the credential */
            200: {
                headers: {
                    /** @description The version of this response */
                    "X-Service-OAS-Version"?: string;
                    /** @description Since when the previous version is deprecated (RFC 9745); absent in the current one */
                    Deprecation?: string;
                    /** @description When the previous version ends (RFC 8594), where an end is set; absent in the current one */
                    Sunset?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "did:key:zDnaeUKTWUXc1HDpGfKbEK31nKLN19yX5aunFd7VK1CUMeyJu",
                     *       "status": "revoked",
                     *       "status_purposes": [
                     *         "revocation"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ResourceCredentialStatus"];
                };
            };
            /** @description The request is not valid: `errors` lists every fault. Codes: `invalid_request`, `invalid_json`, `api_version_unknown` */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description A key is missing or wrong. Codes: `management_key_missing`, `management_key_invalid`, `management_token_invalid`, `api_key_missing`, `api_key_invalid` */
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
            /** @description There is no such resource. Codes: `credential_not_found`, `route_not_found` */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description The request conflicts with the current state. Codes: `credential_without_status`, `credential_revocation_final` */
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
            /** @description Too many requests from this address. Codes: `rate_limited` */
            429: {
                headers: {
                    /** @description Seconds to wait */
                    "Retry-After"?: string;
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
}
