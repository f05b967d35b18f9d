/** Schemes that a browser handles itself: as a script or a document of this page, or as a file of this device. */
const OF_BROWSERS = new Set(['about', 'blob', 'data', 'file', 'filesystem', 'javascript', 'vbscript', 'view-source']);

/**
 * Does this address leave the page for a wallet: a scheme of an app or of the web, followed by `//`? `javascript://`
 * has that form, too, and runs what follows its first line as a script of the page.
 */
export function isWalletLink(address: string): boolean {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address) ?? [];
  return scheme !== undefined && !OF_BROWSERS.has(scheme.toLowerCase());
}
