/** The type of `.js` files in an absolute folder. */
export function packageType(folder: string): 'module' | 'commonjs';
