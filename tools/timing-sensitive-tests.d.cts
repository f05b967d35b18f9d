/** Paths from the root of the repository. */
declare const timingSensitive: readonly string[];
export = timingSensitive;
