/** Paths from the root of the repository: each test, and the quicker ones that state the same rules. */
declare const fullRunTests: Readonly<Record<string, readonly string[]>>;
export = fullRunTests;
