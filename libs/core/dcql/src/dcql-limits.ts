/** How large a query may be: OpenID4VP 1.0 sets no bounds, and a wallet has to evaluate what a backend asks for. */
export interface DcqlLimits {
  /** Entries of `credentials`. */
  readonly maxCredentials: number;
  /** Components of one `path`. */
  readonly maxPathLength: number;
  /** Entries of any array, and members of any object. */
  readonly maxEntries: number;
  /** JSON values in the whole query. */
  readonly maxValues: number;
  /** Nesting of arrays and objects; 1 allows `{}` but not `{"a":{}}`. */
  readonly maxDepth: number;
  /** Length of any text or member name in UTF-16 units. */
  readonly maxTextLength: number;
}

export const DEFAULT_DCQL_LIMITS: DcqlLimits = {
  maxCredentials: 32,
  maxPathLength: 16,
  maxEntries: 512,
  maxValues: 10_000,
  maxDepth: 16,
  maxTextLength: 2_048,
};
