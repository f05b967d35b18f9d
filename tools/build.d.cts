/** What a source file becomes at `target`, and its source map. */
export function compiled(file: string, target: string): { readonly code: string; readonly map: string };
