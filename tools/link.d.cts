/** The apps that are linked into one file each. */
export declare const SERVICES: readonly string[];
/** The linked program of a service, in the workspace. */
export declare function programOf(app: string): string;
