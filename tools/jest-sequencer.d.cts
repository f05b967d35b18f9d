declare class LongestFirst {
  /** The files that run before all others, relative to the workspace. */
  static readonly LONGEST: readonly string[];
  sort<Test extends { readonly path: string }>(tests: readonly Test[]): Test[];
}
export = LongestFirst;
