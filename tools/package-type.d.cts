/** What `.js` files of an absolute folder are. */
export function packageType(folder: string): 'module' | 'commonjs';
