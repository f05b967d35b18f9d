/**
 * The changelog with a new section below "Unreleased": the heading of `generated`, what stood under "Unreleased", then
 * the lists of `generated`. Throws where "Unreleased" is not there exactly once, or the version has a section already.
 */
export function foldRelease(changelog: string, generated: string): string;

/** What the command line asks for; undefined where it is wrong. */
export function parseRelease(
  argv: readonly string[],
): { readonly specifier: string | undefined; readonly dryRun: boolean } | undefined;
