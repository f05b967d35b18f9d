/** A package that production installs. */
export interface ProductionPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  readonly integrity: string | undefined;
}

/** What `npm ci --omit=dev` installs, by the lock file. */
export function productionPackages(lock: { readonly packages: object }): readonly ProductionPackage[];

/** Why the production packages must not be shipped. */
export function packageFaults(
  packages: readonly ProductionPackage[],
  developmentNames: readonly string[],
): readonly string[];

/** Why the images must not be released: those without a digest. */
export function imageFaults(digests: Readonly<Record<string, string>> | undefined): readonly string[];

/** Why the changelog does not fit the version. */
export function changelogFaults(changelog: string, version: string): readonly string[];

/** A CycloneDX document of one image. */
export function sbomOf(
  image: string,
  content: { readonly version: string; readonly digest: string; readonly packages: readonly ProductionPackage[] },
): {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly {
    readonly purl: string;
    readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  }[];
};

/** The digests of dist, built twice in folders of different names; throws if they differ. */
export function buildTwice(root: string): readonly string[];

/** The command; returns its exit code. */
export function main(root: string, argv: readonly string[]): number;
