/** Every name by which the compiled product requires a package. */
export declare function requiredPackages(): string[];
/**
 * Puts the packages of the compiled product into one file, unless that was done before. Resolves to the file that an app
 * must load first (`node --require`).
 */
export declare function bundlePackages(): Promise<string>;
