/**
 * The changelog with a new section below "Unreleased": the heading of `generated`, the former text of "Unreleased",
 * then the lists of `generated`. Throws if there is not exactly one "Unreleased", or the version already has a section.
 */
export function foldRelease(changelog: string, generated: string): string;

/** The options of the command line; undefined if they are invalid. */
export function parseRelease(
  argv: readonly string[],
): { readonly specifier: string | undefined; readonly dryRun: boolean } | undefined;
