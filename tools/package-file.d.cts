/** A file of a package in a linked program. */
export interface PackageFile {
  readonly kind: 'cjs' | 'esm' | 'live';
  readonly code: string;
  /** Whether it exports what others export. */
  readonly passesOn: boolean;
}

/** Compiles the text of a file; throws if the compiler exports in a way that is not known. */
export declare function compilePackageFile(text: string, filename: string, format: 'cjs' | 'esm'): PackageFile;
