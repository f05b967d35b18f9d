/**
 * Caches the compiled code of the linked services, unless that was done before. Returns the file that a service must load
 * first (`node --require`).
 */
export declare function makeCodeCaches(): string;
